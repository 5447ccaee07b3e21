// Strategy `outer`: a worker returns the change of its parameters, and an outer optimizer uses the
// mean of the changes for one step. With base w, mean change d and momentum v (the part `outer`,
// initially zero):
//
//   v' = momentum v + d
//   w' = w + learning_rate (d + momentum v')   with nesterov, else w + learning_rate v'
//
// The Nesterov form is DiLoCo's outer step (Douillard et al., 2023). Without Nesterov it is
// blockwise model-update filtering (Chen, Huo, ICASSP 2016) for learning_rate 1 - momentum or 1,
// and SlowMo (Wang et al., ICLR 2020) with the inner learning rate folded into learning_rate.
// learning_rate 1 and momentum 0 give `average`, except that changes are rounded instead of values.
// Moments and updater state are merged as under `average`.
#pragma once

#include "averaging/strategy.h"

namespace dl::averaging {

struct OuterStep {
  double learning_rate = 1;
  double momentum = 0;
  bool nesterov = true;
};

// Advance computes each value in double with single IEEE operations, independently of the others,
// and rounds it to float32 once. MakeContribution subtracts in float32. So every CPU gives the same
// bits.
class Outer final : public Strategy {
 public:
  // Adds the part `outer` to the layout. REQUIRES: finite settings.
  Outer(StateLayout layout, const OuterStep& step);

  std::string_view name() const override { return "outer"; }
  void MakeContribution(std::span<const float> model, std::span<float> unit_state) const override;
  bool ContributesChanges() const override { return true; }
  Status Advance(const PartViews& base, const PartBuffers& next) const override;

 private:
  const OuterStep step_;
  const int64_t parameters_;  // number of parameter values; they come first in the model
};

}  // namespace dl::averaging
