// Records the layers and kernels of training steps as spans (base/trace.h).
#pragma once

#include <vector>

#include "base/trace_parts.h"
#include "nn/backend/step_observer.h"
#include "nn/network.h"

namespace dl::executor {

// Number of steps of a unit, from the first, whose layers are recorded. The spans of a thread are
// bounded, and layers are many.
inline constexpr int64_t kTracedSteps = 3;

// Records the parts of one step, if spans are recorded and `step` is below kTracedSteps. Must be
// created and destroyed by the thread that makes the step. REQUIRES: `network`, which has no other
// observer, and `unit` outlive this object.
class LayerSpans : private nn::StepObserver {
 public:
  LayerSpans(nn::Network& network, const UnitId& unit, int64_t step);
  ~LayerSpans() override;
  LayerSpans(const LayerSpans&) = delete;
  LayerSpans& operator=(const LayerSpans&) = delete;

 private:
  struct Open {
    nn::StepPart part;
    Instant begin;
  };
  void Begin(const nn::StepPart& part) override;
  void End() override;

  nn::Network* network_ = nullptr;  // null: nothing is recorded
  const UnitId& unit_;
  std::vector<Open> open_;  // innermost last
};

}  // namespace dl::executor
