// `outer`: workers hand back by how much their parameters changed, and an outer optimizer takes the
// mean of the changes for a step. With base w, mean change d and momentum v (the part `outer`, at
// first zero):
//
//   v' = momentum v + d
//   w' = w + learning_rate (d + momentum v')   with nesterov, else w + learning_rate v'
//
// With Nesterov's form this is DiLoCo's outer step (Douillard et al., 2023); without it, and with
// learning_rate 1 - momentum or 1, blockwise model-update filtering (Chen, Huo, ICASSP 2016) and
// SlowMo (Wang et al., ICLR 2020, with the step of the inner rate folded into learning_rate).
// learning_rate 1 and momentum 0 are `average`, but for the rounding of changes instead of values.
// Moments and updater state are merged as under `average`.
#pragma once

#include "averaging/strategy.h"

namespace dl::averaging {

struct OuterStep {
  double learning_rate = 1;
  double momentum = 0;
  bool nesterov = true;
};

// Guarantee: invariant. Every value is computed by itself in double, one IEEE operation after the
// other, and rounded to float32 once: the same bits on every CPU.
class Outer final : public Strategy {
 public:
  // Adds the part `outer` to the layout. REQUIRES: finite settings.
  Outer(StateLayout layout, const OuterStep& step);

  std::string_view name() const override { return "outer"; }
  void MakeContribution(std::span<const float> model, std::span<float> unit_state) const override;
  Status Advance(const PartViews& base, const PartBuffers& next) const override;

 private:
  const OuterStep step_;
  const int64_t parameters_;  // values; they come first in the model
};

}  // namespace dl::averaging
