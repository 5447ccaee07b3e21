// What an executor's process says of its place in the cluster: that it waits for the master, that
// it is registered.
#pragma once

#include <string>

#include "base/json.h"
#include "base/mutex.h"
#include "base/status.h"
#include "launch/stop_signal.h"

namespace dl::launch {

// One line of JSON on standard output: whoever started the process waits for it.
Status PrintLine(const Json& line);

// Thread-safe.
class Presence {
 public:
  enum class Events {
    kReady,  // the first registration alone
    kAll,    // each change
  };
  // `executor`: what the lines say of it. `stop` outlives this, and is raised where the process
  // cannot go on.
  Presence(Json executor, std::string master, Events events, StopSignal& stop)
      : executor_(std::move(executor)), master_(std::move(master)), events_(events), stop_(stop) {}

  void Joined() DL_EXCLUDES(mutex_);
  void Waiting(const Status& why) DL_EXCLUDES(mutex_);
  void Refused(const Status& why) DL_EXCLUDES(mutex_);

  // Why the process cannot go on; OK when it can.
  Status failure() const DL_EXCLUDES(mutex_);

 private:
  void Print(const char* type, const Json& more) DL_REQUIRES(mutex_);
  void Fail(const Status& why) DL_REQUIRES(mutex_);

  const Json executor_;
  const std::string master_;
  const Events events_;
  StopSignal& stop_;
  mutable Mutex mutex_;
  bool joined_ DL_GUARDED_BY(mutex_) = false;   // once at least
  bool waiting_ DL_GUARDED_BY(mutex_) = false;  // and said so
  Status failure_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::launch
