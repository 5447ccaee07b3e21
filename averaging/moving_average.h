// An exponential moving average of the weights, in addition to a job's strategy. With w' the
// weights of the state that a round made, the part `ema` becomes
//
//   ema' = decay ema + (1 - decay) w'
//
// It starts as the initial weights of the job. (Polyak and Juditsky, 1992, with exponential
// weights; as torch.optim.swa_utils.AveragedModel with get_ema_multi_avg_fn, but per round instead
// of per step: a decay d per step is d^H per round.) Running moments are not averaged: `ema` holds
// those of the state, so its table is the model's. The average does not influence training.
#pragma once

#include <memory>

#include "averaging/strategy.h"

namespace dl::averaging {

// Each value is computed in double with single IEEE operations, independently of the others, and
// rounded to float32 once, so every CPU gives the same bits.
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
  bool MayClose(int64_t settled, int64_t units) const override {
    return of_->MayClose(settled, units);
  }
  // Calls Advance of the wrapped strategy, then computes `ema`. Errors are those of that call.
  Status Advance(const PartViews& base, const PartBuffers& next) const override;

 private:
  const std::shared_ptr<const Strategy> of_;
  const double decay_;
  const int64_t parameters_;  // number of parameter values; they come first in the model
};

}  // namespace dl::averaging
