// Executors without an engine: real TCP clients that make the calls of an executor and return
// made-up results. Each executor has a thread for heartbeats and another one for all other calls,
// one call at a time.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "rpc/client.h"
#include "rpc/endpoint.h"
#include "tests/support/protocol_only/synthetic_work.h"

namespace dl::test {

// Durations since the last call of Take, in milliseconds.
struct CallTimes {
  std::vector<double> heartbeat;  // from the call to its answer
  // Delay between the time at which a thread wanted to run and the time at which it ran. An answer
  // may have waited that long for a processor of this machine.
  std::vector<double> lateness;
  std::vector<double> unit;  // from the request for a unit to the receipt of its bytes
};

class ProtocolExecutors {
 public:
  struct Options {
    rpc::Endpoint master;
    rpc::Credentials credentials;
    int count = 1;
    std::string contract, isa;
    std::string name = "protocol-only";  // followed by a number
  };
  explicit ProtocolExecutors(const Options& options);
  // Acts like a SIGKILL of all executors: closes the connections and sends no goodbye.
  ~ProtocolExecutors();

  // Number of executors that have a session now.
  int64_t registered() const { return shared_.registered; }
  // Number of results whose bytes the master asked for.
  int64_t accepted() const { return shared_.accepted; }
  // Number of results whose bytes the master received.
  int64_t contributed() const { return shared_.contributed; }
  // Number of failed calls.
  int64_t errors() const { return shared_.errors; }
  std::string last_error() const { return shared_.LastError(); }
  CallTimes Take() { return shared_.Take(); }

 private:
  // State that all executors share.
  class Shared {
   public:
    StatusOr<std::shared_ptr<SyntheticWork>> Work(const std::string& job,
                                                  const rpc::FetchJobReply& documents,
                                                  rpc::ExecutorService& master) DL_EXCLUDES(mutex_);
    void Note(std::vector<double> CallTimes::*series, Duration time) DL_EXCLUDES(mutex_);
    void RecordError(const Status& status) DL_EXCLUDES(mutex_);
    CallTimes Take() DL_EXCLUDES(mutex_);
    std::string LastError() const DL_EXCLUDES(mutex_);
    // Waits for that time. Returns false if the executors have to stop.
    bool Pause(Duration time) DL_EXCLUDES(mutex_);
    void Stop() DL_EXCLUDES(mutex_);

    std::atomic<int64_t> registered{0}, accepted{0}, contributed{0}, errors{0};
    std::atomic<bool> over{false};

   private:
    mutable Mutex mutex_;
    CondVar stopping_;
    CallTimes times_ DL_GUARDED_BY(mutex_);
    std::string last_error_ DL_GUARDED_BY(mutex_);
    std::string job_ DL_GUARDED_BY(mutex_);  // the job of work_
    std::shared_ptr<SyntheticWork> work_ DL_GUARDED_BY(mutex_);
  };
  class One;

  Shared shared_;
  std::vector<std::unique_ptr<One>> all_;
};

}  // namespace dl::test
