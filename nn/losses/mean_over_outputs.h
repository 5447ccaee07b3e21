// What losses have in common that compare outputs with as many numbers, one by one, and are the
// mean over them.
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
    int64_t n;  // values of both
  };
  // The sum over one row, of what the last layer computed.
  virtual double RowSum(const Compared& row) const = 0;
  // gradient = share * the derivative of each value's loss, from predictions. `share` is what one
  // value counts in the mean.
  virtual void Derivatives(const Compared& all, double share, float* gradient) const = 0;
};

}  // namespace dl::nn
