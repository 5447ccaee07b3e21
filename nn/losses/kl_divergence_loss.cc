#include "nn/losses/kl_divergence_loss.h"

#include "nn/kernels/row_kernels.h"

namespace dl::nn {
namespace {

class KlDivergenceLoss : public Loss {
 public:
  void Predict(const Outputs& y) const override { SoftmaxForward(y.values, y.rows, y.outputs); }

  void AddLosses(const Outputs& y, const Expected& expected, MetricSums& sums) const override {
    for (int64_t r = 0; r < y.rows; ++r) {
      const int64_t begin = r * y.outputs;
      if (!expected.Counts(r)) {
        SoftmaxForward(y.values + begin, 1, y.outputs);
        continue;
      }
      const float* const targets = expected.targets.data() + begin;
      sums.AddLoss(expected.Weighted(r, DivergenceRow(y.values + begin, targets, y.outputs)));
    }
  }

  void Gradient(const Outputs& y, const Expected& expected, float* gradient) const override {
    const auto scale = static_cast<float>(ShareOf(y, expected));
    for (int64_t r = 0; r < y.rows; ++r) {
      const int64_t begin = r * y.outputs;
      DivergenceGradient(y.values + begin, expected.targets.data() + begin, y.outputs, scale,
                         gradient + begin);
    }
  }
};

}  // namespace

std::unique_ptr<const Loss> MakeKlDivergence() { return std::make_unique<KlDivergenceLoss>(); }

}  // namespace dl::nn
