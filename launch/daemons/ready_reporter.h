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

  // The executor calls these three functions when its state changes: it was registered, the master
  // is not reachable, or the master refused it. `why` is the reason. Refused raises `stop`. So do
  // the other two if they cannot print their line.
  void Joined() DL_EXCLUDES(mutex_);
  void Waiting(const Status& why) DL_EXCLUDES(mutex_);
  void Refused(const Status& why) DL_EXCLUDES(mutex_);

  // Returns the first reason for which the process cannot continue; OK if it can.
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
