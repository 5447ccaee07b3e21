// Runs the core in real time. A thread steps the core through incoming events, another makes its
// records durable, and answers leave afterwards. All requests to the core and their answers pass
// through this class.
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

// Observes the steps of the core in tests. Called on the core's thread.
class CoreObserver {
 public:
  virtual ~CoreObserver() = default;
  // The core has started. It exists until the shell has stopped. `output` is that of its start.
  virtual void Began(const Core& core, const Output& output) = 0;
  virtual void BeforeStep(const Event& event, const Output& output) = 0;
  // `output` is that of all steps since an output was handed to the writer. `computed` is the
  // processor time of the step.
  virtual void AfterStep(const Event& event, const Output& output, Duration computed) = 0;
};

// Thread-safe, except Start and Stop.
class CoreShell {
 public:
  struct Options {
    CoreOptions core;
    ShellBounds bounds = {};
    storage::MetaStore* meta = nullptr;  // these two must outlive the shell
    LogLines* log = nullptr;
    std::function<void(const Status&)> on_fatal;  // Gateway::Options
    CoreObserver* observer = nullptr;             // may be null; must outlive the shell
  };
  explicit CoreShell(Options options);
  ~CoreShell() { Stop(); }

  // Starts stepping the core; earlier events wait until then. `release` is called with effects that
  // may leave, in this order, from two threads. It must pass answers to Deliver.
  void Start(RecoveredState recovered, std::function<void(std::vector<Effect>&)> release);
  // No answer leaves and no effect is released after the call. Idempotent.
  void Stop();
  // Requests last checkpoints of the running jobs. Returns when they are durable, or after `limit`.
  // Once they are durable, requests return Unavailable. Further calls return at once.
  void Shutdown(Duration limit);

  void Post(Event event) { events_.Post(std::move(event)); }
  // See PendingRequests.
  template <typename ReplyType, typename Request>
  StatusOr<ReplyType> AskFor(Request request, Duration deadline) {
    return pending_requests_.AskFor<ReplyType>(std::move(request), deadline);
  }
  void Deliver(Answer& answer) { pending_requests_.Deliver(answer); }

  StepTimes& step_times() { return step_times_; }
  uint64_t requests() const { return pending_requests_.requests(); }
  int64_t waiting() { return pending_requests_.waiting(); }
  int64_t wake_ups() { return pending_requests_.wake_ups(); }

 private:
  void Run(Instant began);
  // Performs one step of the core and measures its time.
  void Step(Core& core, const Arrival& arrival, Output& output);

  const Options options_;
  RecoveredState recovered_;                           // from Start until the core exists
  std::function<void(std::vector<Effect>&)> release_;  // set before the first step
  EventQueue events_{options_.bounds.request_bytes};
  PendingRequests pending_requests_{events_, options_.bounds.requests};
  StepTimes step_times_;
  std::atomic<bool> shut_down_ = false;
  Writer writer_;
  Thread thread_;
};

}  // namespace dl::master
