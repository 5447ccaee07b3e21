#include "nn/losses/loss.h"

#include "base/overloaded.h"
#include "nn/losses/binary_cross_entropy.h"
#include "nn/losses/cosine.h"
#include "nn/losses/ctc.h"
#include "nn/losses/focal.h"
#include "nn/losses/hinge.h"
#include "nn/losses/huber.h"
#include "nn/losses/kl_divergence.h"
#include "nn/losses/mean_absolute_error.h"
#include "nn/losses/mean_squared_error.h"
#include "nn/losses/poisson.h"
#include "nn/losses/softmax_cross_entropy.h"
#include "nn/losses/triplet.h"

namespace dl::nn {

void Loss::Predict(const Outputs&) const {}

double ShareOf(const Outputs& y, const Expected& expected, int64_t values) {
  const int64_t rows =
      expected.counted_of_all > 0 ? expected.counted_of_all : expected.CountedOf(y.rows);
  return rows == 0 ? 0.0 : expected.weight / static_cast<double>(rows * values);
}

void ScaleRows(std::span<const float> weights, int64_t outputs, float* gradient) {
  for (const float weight : weights) {
    for (int64_t i = 0; i < outputs; ++i) gradient[i] = weight == 0 ? 0.0f : gradient[i] * weight;
    gradient += outputs;
  }
}

// No default branch: a loss without implementation is a compile error.
std::unique_ptr<const Loss> MakeLoss(const LossConf& conf) {
  return std::visit(Overloaded{
                        [](const SoftmaxCrossEntropy& x) { return MakeSoftmaxCrossEntropy(x); },
                        [](const BinaryCrossEntropy& x) { return MakeBinaryCrossEntropy(x); },
                        [](const MeanSquaredError&) { return MakeMeanSquaredError(); },
                        [](const MeanAbsoluteError&) { return MakeMeanAbsoluteError(); },
                        [](const Huber& x) { return MakeHuber(x); },
                        [](const Focal& x) { return MakeFocal(x); },
                        [](const KlDivergence&) { return MakeKlDivergence(); },
                        [](const Poisson&) { return MakePoisson(); },
                        [](const Hinge&) { return MakeHinge(); },
                        [](const SquaredHinge&) { return MakeSquaredHinge(); },
                        [](const Cosine&) { return MakeCosine(); },
                        [](const Triplet& x) { return MakeTriplet(x); },
                        [](const Ctc&) { return MakeCtc(); },
                    },
                    conf);
}

}  // namespace dl::nn
