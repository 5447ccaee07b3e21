// The step of the core that is under way: when it is, and what it lets out.
#pragma once

#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "executor/core/events.h"

namespace dl::executor {

class CurrentStep {
 public:
  explicit CurrentStep(Instant began) : now(began) {}

  // REQUIRES: no step is under way. `effects` outlives the step.
  void Begin(Instant when, std::vector<Effect>& effects) {
    DL_CHECK(effects_ == nullptr);
    now = when;
    effects_ = &effects;
  }
  void End() { effects_ = nullptr; }

  void Do(Effect effect) { effects_->push_back(std::move(effect)); }

  Instant now;  // in between: when the last one was

 private:
  std::vector<Effect>* effects_ = nullptr;
};

}  // namespace dl::executor
