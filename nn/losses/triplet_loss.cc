#include "nn/losses/triplet_loss.h"

#include <algorithm>

#include "nn/backend/parallel_for.h"
#include "nn/kernels/error_rows.h"
#include "nn/losses/rows_in_order.h"

namespace dl::nn {
namespace {

class TripletLoss : public Loss {
 public:
  explicit TripletLoss(double margin) : margin_(margin) {}

  void AddLosses(const Outputs& y, const Expected& expected, MetricSums& sums) const override {
    const auto compute = [&](int64_t r) {
      const double shortfall = expected.Counts(r) ? ShortfallOf(y, r) : 0.0;
      return shortfall < 0.0 ? 0.0 : shortfall;  // NaN stays NaN
    };
    RowsInOrder(y.rows, y.outputs, compute, [&](int64_t r, double loss) {
      if (expected.Counts(r)) sums.AddLoss(expected.Weighted(r, loss));
    });
  }

  void Gradient(const Outputs& y, const Expected& expected, float* gradient) const override {
    const auto twice = static_cast<float>(2.0 * ShareOf(y, expected));
    ForRows(y.rows, y.outputs, [&](int64_t first, int64_t last) {
      for (int64_t r = first; r < last; ++r) RowGradient(y, r, twice, gradient + r * y.outputs);
    });
  }

 private:
  void RowGradient(const Outputs& y, int64_t r, float twice, float* row) const {
    if (ShortfallOf(y, r) <= 0.0) {
      std::fill_n(row, y.outputs, 0.0f);
      return;
    }
    const int64_t n = y.outputs / 3;
    const float* const anchor = y.values + r * y.outputs;
    ErrorGradient(anchor + 2 * n, anchor + n, n, twice, row);
    ErrorGradient(anchor + n, anchor, n, twice, row + n);
    ErrorGradient(anchor, anchor + 2 * n, n, twice, row + 2 * n);
  }

  // Returns by how much the negative is too near: the loss before max(0, x).
  double ShortfallOf(const Outputs& y, int64_t row) const {
    const int64_t n = y.outputs / 3;
    const float* const anchor = y.values + row * y.outputs;
    return SquaredErrorRow(anchor, anchor + n, n) - SquaredErrorRow(anchor, anchor + 2 * n, n) +
           margin_;
  }

  const double margin_;
};

}  // namespace

std::unique_ptr<const Loss> MakeTriplet(const Triplet& conf) {
  return std::make_unique<TripletLoss>(conf.margin);
}

}  // namespace dl::nn
