// An exponential moving average of the model's parameters, in addition to a job's strategy. If w'
// are the parameters of the state that a round made, the part `ema` becomes
//
//   ema' = decay ema + (1 - decay) w'
//
// In round 0 the average equals the parameters. In a job that begins with the full state of another
// job's checkpoint (--resume-from), it is the average in that checkpoint.
//
// Source: Polyak and Juditsky, 1992, with exponential weights. It equals PyTorch's
// torch.optim.swa_utils.AveragedModel with get_ema_multi_avg_fn, but is updated once per round
// instead of once per step. A decay d per step corresponds to d^H per round of H steps.
//
// Running moments are not averaged. `ema` contains the running moments of the new state, so its
// segment table is the table of the model. The average influences training only through
// evaluations: they stop a job early and lower the learning rate at plateaus.
#pragma once

#include <memory>

#include "averaging/strategy.h"

namespace dl::averaging {

// Each averaged value is computed in double precision, independently of the others, and then
// rounded once to float32. Multiplications and additions are not fused, so every CPU gives the same
// bits.
class MovingAverage final : public Strategy {
 public:
  // Wraps the job's strategy `of`: adds the part `ema` to its layout and makes it the part that
  // evaluations use. REQUIRES: `of` is not null, decay in (0, 1).
  MovingAverage(std::shared_ptr<const Strategy> of, double decay);

  std::string_view name() const override { return of_->name(); }
  void MakeContribution(std::span<const float> model, std::span<float> unit_state) const override {
    of_->MakeContribution(model, unit_state);
  }
  bool ContributesChanges() const override { return of_->ContributesChanges(); }
  StatusOr<Weights> WeightsOf(std::span<const int64_t> examples) const override {
    return of_->WeightsOf(examples);
  }
  void Raise(GridExponents& grid, std::span<const double> magnitudes) const override {
    of_->Raise(grid, magnitudes);
  }
  bool CanClose(int64_t settled, int64_t units) const override {
    return of_->CanClose(settled, units);
  }
  // Calls Advance of the wrapped strategy, then computes `ema`. Returns the errors of that call.
  Status Advance(const PartViews& base, const PartBuffers& next) const override;

 private:
  const std::shared_ptr<const Strategy> of_;
  const double decay_;
  const int64_t parameters_;  // number of parameter values; they come first in the model
};

}  // namespace dl::averaging
