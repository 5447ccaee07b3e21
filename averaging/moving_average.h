// A moving average of weights beside whatever strategy a job has: with the weights w' of a state
// that a round made, its part `ema`
//
//   ema' = decay ema + (1 - decay) w'
//
// which begins as the weights that the job begins with (Polyak and Juditsky, 1992, with exponential
// weights; as torch.optim.swa_utils.AveragedModel with get_ema_multi_avg_fn, but of rounds instead
// of steps: a decay d of steps is d^H of rounds). Running moments are not averaged: `ema` has those
// of the state, so its table is the model's. Training never sees it.
#pragma once

#include <memory>

#include "averaging/strategy.h"

namespace dl::averaging {

// Guarantee: invariant. Every value is computed by itself in double, one IEEE operation after the
// other, and rounded to float32 once: the same bits on every CPU.
class MovingAverage final : public Strategy {
 public:
  // Adds the part `ema` to the layout of `of`, and makes it what evaluations take. REQUIRES: decay
  // in (0, 1).
  MovingAverage(std::shared_ptr<const Strategy> of, double decay);

  std::string_view name() const override { return of_->name(); }
  void MakeContribution(std::span<const float> model, std::span<float> unit_state) const override {
    of_->MakeContribution(model, unit_state);
  }
  StatusOr<Weights> WeightsOf(std::span<const int64_t> examples) const override {
    return of_->WeightsOf(examples);
  }
  void Raise(GridExponents& grid, std::span<const double> magnitudes) const override {
    of_->Raise(grid, magnitudes);
  }
  bool MayClose(int64_t settled, int64_t units) const override {
    return of_->MayClose(settled, units);
  }
  Status Advance(const PartViews& base, const PartBuffers& next) const override;

 private:
  const std::shared_ptr<const Strategy> of_;
  const double decay_;
  const int64_t parameters_;  // values; they come first in the model
};

}  // namespace dl::averaging
