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
#include "master/core/master_core.h"
#include "master/gateway/log_lines.h"
#include "master/gateway/master_event_queue.h"
#include "master/gateway/pending_requests.h"
#include "master/gateway/shell_bounds.h"
#include "master/gateway/writer.h"
#include "master/step_times.h"
#include "storage/meta_store.h"

namespace dl::master {

// Watches the steps of the core, in tests. Called on the core's thread.
class CoreObserver {
 public:
  virtual ~CoreObserver() = default;
  // The core begins. It exists until the shell has stopped. `output`: of its begin, or of all steps
  // since an output was handed to the writer.
  virtual void Began(const Core& core, const Output& output) = 0;
  virtual void BeforeStep(const Event& event, const Output& output) = 0;
  // `computed`: processor time of the step.
  virtual void AfterStep(const Event& event, const Output& output, Duration computed) = 0;
};

// Thread-safe, but for Start and Stop.
class CoreShell {
 public:
  struct Options {
    CoreOptions core;
    ShellBounds bounds = {};
    storage::MetaStore* meta = nullptr;  // these two outlive the shell
    LogLines* log = nullptr;
    std::function<void(const Status&)> on_fatal;  // Gateway::Options
    CoreObserver* observer = nullptr;             // may be null; outlives the shell
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
    return pending_requests_.AskFor<ReplyType>(std::move(request), deadline);
  }
  void Deliver(Answer& answer) { pending_requests_.Deliver(answer); }

  StepTimes& step_times() { return step_times_; }
  int64_t waiting() { return pending_requests_.waiting(); }
  int64_t wake_ups() { return pending_requests_.wake_ups(); }

 private:
  void Run(Instant began);
  // One step of the core, timed.
  void Step(Core& core, const Arrival& arrival, Output& output);

  const Options options_;
  RecoveredState recovered_;                           // from Start until there is a core
  std::function<void(std::vector<Effect>&)> release_;  // set before anything is stepped
  EventQueue events_{options_.bounds.request_bytes};
  PendingRequests pending_requests_{events_, options_.bounds.requests};
  StepTimes step_times_;
  std::atomic<bool> shut_down_ = false;
  Writer writer_;
  Thread thread_;
};

}  // namespace dl::master
