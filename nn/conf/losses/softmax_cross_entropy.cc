#include "nn/conf/losses/softmax_cross_entropy.h"

#include "nn/conf/layers/output.h"

namespace dl::nn {

void SoftmaxCrossEntropy::Check(const Output& output, Mistakes& mistakes) const {
  CheckClasses(output, kTag, class_weights.values, mistakes);
}

}  // namespace dl::nn
