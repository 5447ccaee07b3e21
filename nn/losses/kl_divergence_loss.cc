#include "nn/losses/kl_divergence_loss.h"

#include "nn/backend/parallel_for.h"
#include "nn/kernels/row_kernels.h"
#include "nn/losses/rows_in_order.h"

namespace dl::nn {
namespace {

class KlDivergenceLoss : public Loss {
 public:
  void Predict(const Outputs& y) const override {
    ForRows(y.rows, y.outputs, [&](int64_t begin, int64_t end) {
      SoftmaxForward(y.values + begin * y.outputs, end - begin, y.outputs);
    });
  }

  void AddLosses(const Outputs& y, const Expected& expected, MetricSums& sums) const override {
    const auto compute = [&](int64_t r) {
      const int64_t begin = r * y.outputs;
      if (expected.Counts(r))
        return DivergenceRow(y.values + begin, expected.targets.data() + begin, y.outputs);
      SoftmaxForward(y.values + begin, 1, y.outputs);
      return 0.0;
    };
    RowsInOrder(y.rows, y.outputs, compute, [&](int64_t r, double loss) {
      if (expected.Counts(r)) sums.AddLoss(expected.Weighted(r, loss));
    });
  }

  void Gradient(const Outputs& y, const Expected& expected, float* gradient) const override {
    const auto scale = static_cast<float>(ShareOf(y, expected));
    ForRows(y.rows, y.outputs, [&](int64_t first, int64_t last) {
      for (int64_t r = first; r < last; ++r) {
        const int64_t begin = r * y.outputs;
        DivergenceGradient(y.values + begin, expected.targets.data() + begin, y.outputs, scale,
                           gradient + begin);
      }
    });
  }
};

}  // namespace

std::unique_ptr<const Loss> MakeKlDivergence() { return std::make_unique<KlDivergenceLoss>(); }

}  // namespace dl::nn
