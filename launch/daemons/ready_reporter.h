// Reports the state of an executor's process in the cluster: waiting for the master, or registered.
#pragma once

#include <string>

#include "base/json.h"
#include "base/mutex.h"
#include "base/status.h"
#include "launch/stop_signal.h"

namespace dl::launch {

// Prints one line of JSON on standard output, for the program that started this process. Returns
// the error of the system if it cannot be written.
Status PrintLine(const Json& line);

// Thread-safe.
class ReadyReporter {
 public:
  enum class Events {
    kReady,  // only the first registration
    kAll,    // every change
  };
  // `executor` is added to every line. `stop` must outlive this object. It is raised if the process
  // cannot continue.
  ReadyReporter(Json executor, std::string master, Events events, StopSignal& stop)
      : executor_(std::move(executor)), master_(std::move(master)), events_(events), stop_(stop) {}

  // The next three functions are called by the executor on its changes. If a line cannot be
  // printed, the process cannot continue. Must be called whenever the executor is registered.
  void Joined() DL_EXCLUDES(mutex_);
  // Must be called when the master is not reachable, with the reason.
  void Waiting(const Status& why) DL_EXCLUDES(mutex_);
  // Must be called when the master refuses the executor. Raises `stop`.
  void Refused(const Status& why) DL_EXCLUDES(mutex_);

  // Returns why the process cannot continue; OK if it can.
  Status failure() const DL_EXCLUDES(mutex_);

 private:
  void Print(const char* type, const Json& more) DL_REQUIRES(mutex_);
  void Fail(const Status& why) DL_REQUIRES(mutex_);

  const Json executor_;
  const std::string master_;
  const Events events_;
  StopSignal& stop_;
  mutable Mutex mutex_;
  bool joined_ DL_GUARDED_BY(mutex_) = false;   // at least once
  bool waiting_ DL_GUARDED_BY(mutex_) = false;  // and this was reported
  Status failure_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::launch
