// The current step of the core: its time, and its effects.
#pragma once

#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "executor/core/executor_events.h"

namespace dl::executor {

class CurrentStep {
 public:
  explicit CurrentStep(Instant began) : now(began) {}

  // REQUIRES: no step has begun. `effects` must outlive the step.
  void Begin(Instant when, std::vector<Effect>& effects) {
    DL_CHECK(effects_ == nullptr);
    now = when;
    effects_ = &effects;
  }
  void End() { effects_ = nullptr; }

  void Do(Effect effect) { effects_->push_back(std::move(effect)); }

  Instant now;  // between steps: the time of the last step

 private:
  std::vector<Effect>* effects_ = nullptr;
};

}  // namespace dl::executor
