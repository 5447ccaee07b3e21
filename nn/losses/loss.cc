#include "nn/losses/loss.h"

#include "base/overloaded.h"
#include "nn/losses/binary_cross_entropy.h"
#include "nn/losses/huber.h"
#include "nn/losses/mean_absolute_error.h"
#include "nn/losses/mean_squared_error.h"
#include "nn/losses/softmax_cross_entropy.h"

namespace dl::nn {

void Loss::Predict(const Outputs&) const {}

// No default branch: a loss that nobody implements does not compile.
std::unique_ptr<const Loss> MakeLoss(const LossConf& conf) {
  return std::visit(Overloaded{
                        [](const SoftmaxCrossEntropy& x) { return MakeSoftmaxCrossEntropy(x); },
                        [](const BinaryCrossEntropy&) { return MakeBinaryCrossEntropy(); },
                        [](const MeanSquaredError&) { return MakeMeanSquaredError(); },
                        [](const MeanAbsoluteError&) { return MakeMeanAbsoluteError(); },
                        [](const Huber& x) { return MakeHuber(x); },
                    },
                    conf);
}

}  // namespace dl::nn
