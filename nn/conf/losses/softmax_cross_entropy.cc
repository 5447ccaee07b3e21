#include "nn/conf/losses/softmax_cross_entropy.h"

#include "nn/conf/layers/output.h"

namespace dl::nn {

void SoftmaxCrossEntropy::Check(const Output& output, Mistakes& mistakes) const {
  RequireNoActivation(output, "softmax", kTag, mistakes);
  if (output.units == 1) {
    mistakes.Add("softmax_cross_entropy over one class is always 0",
                 "Use one unit per class, or the loss binary_cross_entropy, or mean_squared_error");
  }
}

}  // namespace dl::nn
