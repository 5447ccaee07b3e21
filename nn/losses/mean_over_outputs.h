// Base of losses that compare each output with one number and take the mean over the outputs.
#pragma once

#include "nn/losses/loss.h"

namespace dl::nn {

class MeanOverOutputs : public Loss {
 public:
  void AddLosses(const Outputs& y, const Expected& expected, MetricSums& sums) const override;
  void Gradient(const Outputs& y, const Expected& expected, float* gradient) const final;

 protected:
  struct Compared {
    const float* y;
    const float* targets;
    int64_t n;  // number of values in each
  };
  // Returns the sum of the losses of one row. `row.y` holds the outputs of the last layer.
  virtual double RowSum(const Compared& row) const = 0;
  // Sets gradient = share * derivative of each value's loss. `all.y` holds predictions. `share` is
  // the weight of one value in the mean.
  virtual void Derivatives(const Compared& all, double share, float* gradient) const = 0;
};

}  // namespace dl::nn
