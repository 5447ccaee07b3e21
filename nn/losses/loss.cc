#include "nn/losses/loss.h"

#include "base/overloaded.h"
#include "nn/backend/parallel_for.h"
#include "nn/losses/binary_cross_entropy_loss.h"
#include "nn/losses/cosine_loss.h"
#include "nn/losses/ctc_loss.h"
#include "nn/losses/focal_loss.h"
#include "nn/losses/hinge_loss.h"
#include "nn/losses/huber_loss.h"
#include "nn/losses/kl_divergence_loss.h"
#include "nn/losses/mean_absolute_error_loss.h"
#include "nn/losses/mean_squared_error_loss.h"
#include "nn/losses/poisson_loss.h"
#include "nn/losses/softmax_cross_entropy_loss.h"
#include "nn/losses/triplet_loss.h"

namespace dl::nn {

void Loss::Predict(const Outputs&) const {}

void Loss::AddLossesInPlace(const Outputs&, const Expected&, MetricSums&, RowDone) const {
  DL_CHECK(WorksInPlace());
}

double ShareOf(const Outputs& y, const Expected& expected, int64_t values) {
  const int64_t rows =
      expected.counted_of_all > 0 ? expected.counted_of_all : expected.CountedOf(y.rows);
  return rows == 0 ? 0.0 : expected.weight / static_cast<double>(rows * values);
}

void ScaleRows(std::span<const float> weights, int64_t outputs, float* gradient) {
  ForRows(static_cast<int64_t>(weights.size()), outputs, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const float weight = weights[r];
      float* const row = gradient + r * outputs;
      for (int64_t i = 0; i < outputs; ++i) row[i] = weight == 0 ? 0.0f : row[i] * weight;
    }
  });
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
