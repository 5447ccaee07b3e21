// Strategy `average`: the new state is the mean of the workers' states, weighted by the number of
// examples that each worker trained. Batch-norm moments are pooled. (McDonald, Hall, Mann:
// "Distributed training strategies for the structured perceptron", 2010; McMahan et al.:
// "Communication-efficient learning of deep networks from decentralized data", 2017.)
#pragma once

#include "averaging/strategy.h"

namespace dl::averaging {

// A contribution is the worker's state itself. With one worker, the result equals a plain training
// loop, bit for bit, unless updater state is reset in each round.
class Average final : public Strategy {
 public:
  explicit Average(StateLayout layout) : Strategy(std::move(layout)) {}

  std::string_view name() const override { return "average"; }
  void MakeContribution(std::span<const float>, std::span<float>) const override {}
  Status Advance(const PartViews&, const PartBuffers&) const override { return absl::OkStatus(); }
};

}  // namespace dl::averaging
