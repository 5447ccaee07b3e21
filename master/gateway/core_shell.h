// The core in real time: one thread steps it through the events that came, another makes durable
// what comes out, and answers leave behind that. What is asked of the core goes in and comes back
// here, and nowhere else.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "base/thread.h"
#include "master/core/core.h"
#include "master/gateway/callers.h"
#include "master/gateway/event_queue.h"
#include "master/gateway/log_lines.h"
#include "master/gateway/writer.h"
#include "master/step_times.h"
#include "storage/meta_store.h"

namespace dl::master {

// Thread-safe, but for Start and Stop.
class CoreShell {
 public:
  struct Options {
    CoreOptions core;
    storage::MetaStore* meta = nullptr;  // these two outlive the shell
    LogLines* log = nullptr;
    std::function<void(const Status&)> on_fatal;  // Gateway::Options
  };
  explicit CoreShell(Options options);
  ~CoreShell() { Stop(); }

  // Steps the core from now on: what came before waits until then. `release` takes effects that may
  // leave, in this order, from two threads; answers among them belong to Deliver.
  void Start(RecoveredState recovered, std::function<void(std::vector<Effect>&)> release);
  // No answer leaves any more, and nothing is released behind it; idempotent.
  void Stop();
  // The core brings what runs to an end; returns when that is durable, or after `limit`. Later
  // requests are Unavailable.
  void Shutdown(Duration limit);

  void Post(Event event) { events_.Post(std::move(event)); }
  // As Callers.
  template <typename ReplyType, typename Request>
  StatusOr<ReplyType> AskFor(Request request, Duration deadline) {
    return callers_.AskFor<ReplyType>(std::move(request), deadline);
  }
  void Deliver(Answer& answer) { callers_.Deliver(answer); }

  StepTimes& step_times() { return step_times_; }
  int64_t waiting() { return callers_.waiting(); }
  int64_t wake_ups() { return callers_.wake_ups(); }

 private:
  void Run(Instant began);
  // One step of the core, timed.
  void Step(Core& core, const Arrival& arrival, Output& output);

  const Options options_;
  RecoveredState recovered_;                           // from Start until there is a core
  std::function<void(std::vector<Effect>&)> release_;  // set before anything is stepped
  EventQueue events_;
  Callers callers_{events_};
  StepTimes step_times_;
  std::atomic<bool> shut_down_ = false;
  Writer writer_;
  Thread thread_;
};

}  // namespace dl::master
