// Base of losses that compare each output with one target. The loss of a row is the mean of the
// losses of its outputs. RowSum and Derivatives are called on several threads at the same time, for
// different rows.
#pragma once

#include "nn/losses/loss.h"

namespace dl::nn {

class MeanOverOutputs : public Loss {
 public:
  // Adds the weighted loss of each counted row. Does not call Predict, because the default Predict
  // does nothing. A loss that overrides Predict must also override AddLosses: it calls this
  // function first, and then Predict.
  void AddLosses(const Outputs& y, const Expected& expected, MetricSums& sums) const override;
  void Gradient(const Outputs& y, const Expected& expected, float* gradient) const final;

 protected:
  struct Compared {
    const float* y;
    const float* targets;
    int64_t n;  // number of values of each array
  };
  // Returns the sum of the losses of a row's outputs. `row.y` holds the outputs of the output layer
  // before Predict.
  virtual double RowSum(const Compared& row) const = 0;
  // Sets each of the some.n values of `gradient` to `share` times the derivative of the value's
  // loss with respect to the output of the layer. `some` has some of the rows, and some.y holds the
  // outputs after Predict. `share` is the factor of one value in the mean over all counted rows
  // (ShareOf).
  virtual void Derivatives(const Compared& some, double share, float* gradient) const = 0;
};

}  // namespace dl::nn
