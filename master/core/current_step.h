// The step of the core that is under way: when it is, and what it lets out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/json.h"
#include "master/core/events.h"
#include "master/core/job/job.h"

namespace dl::master {

// When an event is applied. Intervals begin at `now`: the master's word cannot leave earlier. They
// end by `came`: nobody is late whose own word waits in the queue behind a slow write.
struct Moment {
  Instant now;
  Instant came;              // when the event came, `now` or earlier; never goes back
  int64_t wall_unix_ms = 0;  // is only written into records, for people
};

class CurrentStep {
 public:
  // REQUIRES: no step is under way. `output` outlives the step.
  void Begin(const Moment& moment, Output& output);
  void End() { output_ = nullptr; }

  storage::MetaBatch& batch() { return output_->batch; }
  void Do(Effect effect) { output_->effects.push_back(std::move(effect)); }
  // What may leave before the batch is durable (MayLeaveAhead).
  void DoAhead(Effect effect) { output_->ahead.push_back(std::move(effect)); }

  // What nobody needs any more, where it is so large that its end would take long: that comes
  // behind the step.
  template <typename T>
  void LetGo(T value) {
    output_->let_go.push_back(std::make_shared<const T>(std::move(value)));
  }
  // Holds on to `shared` until the batch of this step is durable. Null is allowed.
  void KeepUntilDurable(std::shared_ptr<const void> shared) {
    if (shared != nullptr) output_->let_go.push_back(std::move(shared));
  }

  // Told to who follows the job, and stored (job/told.h).
  void EmitEvent(Job& job, Json event);
  void WriteLog(std::string line);
  void AnswerWith(uint64_t token, Status status, Reply reply = {});

  Instant now, came;  // Moment
  int64_t wall_unix_ms = 0;

 private:
  Output* output_ = nullptr;
};

}  // namespace dl::master
