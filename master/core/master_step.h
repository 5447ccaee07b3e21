// The step of the core that is being processed: its time and its output.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/clock.h"
#include "master/core/job/job.h"
#include "master/core/master_events.h"

namespace dl::master {

// The time of an event. An interval that the core grants to a peer begins at `now`, because the
// answer cannot leave earlier. Deadlines of peers are compared with `came`, so that a peer is not
// late if its message waited in the queue during a slow write.
struct StepTime {
  Instant now;               // when the step runs
  Instant came;              // when the event arrived; `now` or earlier, never decreasing
  int64_t wall_unix_ms = 0;  // only written into records and events
};

class CurrentStep {
 public:
  // REQUIRES: no other step is in progress. `output` must outlive the step.
  void Begin(const StepTime& moment, Output& output);
  void End() { output_ = nullptr; }

  storage::MetaBatch& batch() { return output_->batch; }
  // Adds an effect that leaves after the batch is durable.
  void Do(Effect effect) { output_->effects.push_back(std::move(effect)); }
  // Adds an effect that may leave before the batch is durable. REQUIRES: MayLeaveAhead(effect).
  void DoAhead(Effect effect) { output_->ahead.push_back(std::move(effect)); }

  // Destroys a value on another thread, after the batch of this step is durable. Used for large
  // values that are slow to destroy.
  template <typename T>
  void LetGo(T value) {
    output_->let_go.push_back(std::make_shared<const T>(std::move(value)));
  }
  // Keeps `shared` alive until the batch of this step is durable. Null is allowed.
  void KeepUntilDurable(std::shared_ptr<const void> shared) {
    if (shared != nullptr) output_->let_go.push_back(std::move(shared));
  }

  // Makes an event of the job with the next sequence number, stores it, and reports it to
  // subscribers after the batch is durable (master/core/job/event_sequence.h). If more events are
  // stored than the limits permit, deletes the oldest ones in groups of a thousand.
  void EmitEvent(Job& job, EventContent content);
  // Emits a warning event. `message` is a sentence for users, and `remedy` is the action that
  // solves the problem, if there is one.
  void Warn(Job& job, std::string message, rpc::Remedy remedy = {});
  // Writes a line to the master's log after the batch is durable.
  void WriteLog(std::string line);
  // Answers the request `token` after the batch is durable.
  void AnswerWith(uint64_t token, Status status, Reply reply = {});

  Instant now, came;  // of the step (StepTime)
  int64_t wall_unix_ms = 0;

 private:
  Output* output_ = nullptr;
};

}  // namespace dl::master
