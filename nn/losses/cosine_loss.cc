#include "nn/losses/cosine_loss.h"

#include "base/portable_math.h"
#include "nn/backend/parallel_for.h"
#include "nn/kernels/error_rows.h"
#include "nn/losses/rows_in_order.h"

namespace dl::nn {
namespace {

class CosineLoss : public Loss {
 public:
  void AddLosses(const Outputs& y, const Expected& expected, MetricSums& sums) const override {
    const auto compute = [&](int64_t r) {
      return expected.Counts(r) ? 1.0 - AngleOf(y, expected, r).cosine : 0.0;
    };
    RowsInOrder(y.rows, y.outputs, compute, [&](int64_t r, double loss) {
      if (expected.Counts(r)) sums.AddLoss(expected.Weighted(r, loss));
    });
  }

  void Gradient(const Outputs& y, const Expected& expected, float* gradient) const override {
    const double share = ShareOf(y, expected);
    ForRows(y.rows, y.outputs, [&](int64_t first, int64_t last) {
      for (int64_t r = first; r < last; ++r) {
        const int64_t begin = r * y.outputs;
        const Angle angle = AngleOf(y, expected, r);
        CombineRows(y.values + begin, expected.targets.data() + begin, y.outputs,
                    {.a = static_cast<float>(share * angle.along_output),
                     .b = static_cast<float>(-share * angle.along_target)},
                    gradient + begin);
      }
    });
  }

 private:
  struct Angle {
    double cosine = 0;
    double along_output = 0;  // c / |z|^2
    double along_target = 0;  // 1 / (|z| |t|)
  };
  // Squares of floats, and their products, neither overflow nor underflow a double.
  static Angle AngleOf(const Outputs& y, const Expected& expected, int64_t row) {
    const int64_t begin = row * y.outputs;
    const RowProducts products =
        ProductsOfRows(y.values + begin, expected.targets.data() + begin, y.outputs);
    const double lengths = portable::Sqrt(products.of_first) * portable::Sqrt(products.of_second);
    if (lengths == 0.0) return {};
    const double cosine = products.of_both / lengths;
    return {.cosine = cosine,
            .along_output = cosine / products.of_first,
            .along_target = 1.0 / lengths};
  }
};

}  // namespace

std::unique_ptr<const Loss> MakeCosine() { return std::make_unique<CosineLoss>(); }

}  // namespace dl::nn
