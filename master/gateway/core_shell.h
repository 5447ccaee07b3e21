// Runs the core in real time. The core's thread steps the core through incoming events. Another
// thread, the writer, makes the records of the steps durable. The effects of a step, such as
// answers, are released afterwards, except those that may leave ahead (MayLeaveAhead). All requests
// to the core and their answers pass through this class.
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
  // Called when the core has started, before its first step. The core exists until its thread ends,
  // which is in Stop() or after the store has failed. `output` is the output of its start.
  virtual void Began(const Core& core, const Output& output) = 0;
  // In both functions, `output` is the output of all steps since the last hand-over to the writer.
  // `computed` is the processor time of the step.
  virtual void BeforeStep(const Arrival& arrival, const Output& output) = 0;
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
    std::function<void(const Status&)> on_fatal;  // see Gateway::Options
    CoreObserver* observer = nullptr;             // may be null; must outlive the shell
  };
  explicit CoreShell(Options options);
  ~CoreShell() { Stop(); }

  // Starts the core and its steps. Events that were posted before wait until then. `release` is
  // called with the effects that may leave now, in their order. It must be thread-safe, because the
  // core's thread and the writer's thread call it, sometimes at the same time. It must pass answers
  // to Deliver. Start must be called once.
  void Start(RecoveredState recovered, std::function<void(std::vector<Effect>&)> release);
  // Stops the core and the writer. Outputs that the writer already has are written and released.
  // Waiting and later requests return Unavailable. No effect is released after Stop has returned.
  // Idempotent.
  void Stop();
  // Requests last checkpoints of the running jobs. Returns when they are durable, or after `limit`.
  // When they are durable, also after `limit`, waiting and later requests return Unavailable. Only
  // the first call waits; further calls return at once.
  void Shutdown(Duration limit);

  // Adds an event of the master itself (EventQueue::Post).
  void Post(Event event) { events_.Post(std::move(event)); }
  // SendRequest, Deliver and the counters are described in PendingRequests.
  template <typename ReplyType, typename Request>
  StatusOr<ReplyType> SendRequest(Request request, Duration deadline) {
    return pending_requests_.SendRequest<ReplyType>(std::move(request), deadline);
  }
  void Deliver(Answer& answer) { pending_requests_.Deliver(answer); }

  // Returns whether a batch is being written (Writer::WaitsForStore). The core may have to wait.
  bool WaitsForStore() const { return writer_.WaitsForStore(); }
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
