// Executors without an engine: real TCP clients that make the calls of an executor, and hand back
// results that are made up. A thread of each makes its heartbeats, another one all other calls, one
// at a time.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "rpc/client.h"
#include "rpc/endpoint.h"
#include "tests/support/protocol_only/made_up_work.h"

namespace dl::test {

// What they have seen since the last call of Take, in milliseconds.
struct CallTimes {
  std::vector<double> heartbeat;  // from the call to its answer
  // How much later than they wanted their threads ran: what an answer may have waited for a
  // processor of theirs.
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
    std::string name = "protocol-only";  // with a number behind it
  };
  explicit ProtocolExecutors(const Options& options);
  // As a SIGKILL of all: the connections end, nothing is said.
  ~ProtocolExecutors();

  int64_t registered() const { return shared_.registered; }  // with a session, now
  int64_t accepted() const {
    return shared_.accepted;
  }  // results, of which the master wanted bytes
  int64_t contributed() const { return shared_.contributed; }  // and has them
  int64_t errors() const { return shared_.errors; }            // of calls
  std::string last_error() const { return shared_.LastError(); }
  CallTimes Take() { return shared_.Take(); }

 private:
  // What they have in common.
  class Shared {
   public:
    StatusOr<std::shared_ptr<MadeUpWork>> Work(const std::string& job,
                                               const rpc::FetchJobReply& documents,
                                               rpc::ExecutorService& master) DL_EXCLUDES(mutex_);
    void Note(std::vector<double> CallTimes::*series, Duration time) DL_EXCLUDES(mutex_);
    void NoteError(const Status& status) DL_EXCLUDES(mutex_);
    CallTimes Take() DL_EXCLUDES(mutex_);
    std::string LastError() const DL_EXCLUDES(mutex_);
    // False when it is over.
    bool Pause(Duration time) DL_EXCLUDES(mutex_);
    void Stop() DL_EXCLUDES(mutex_);

    std::atomic<int64_t> registered{0}, accepted{0}, contributed{0}, errors{0};
    std::atomic<bool> over{false};

   private:
    mutable Mutex mutex_;
    CondVar stopping_;
    CallTimes times_ DL_GUARDED_BY(mutex_);
    std::string last_error_ DL_GUARDED_BY(mutex_);
    std::string job_ DL_GUARDED_BY(mutex_);  // of work_
    std::shared_ptr<MadeUpWork> work_ DL_GUARDED_BY(mutex_);
  };
  class One;

  Shared shared_;
  std::vector<std::unique_ptr<One>> all_;
};

}  // namespace dl::test
