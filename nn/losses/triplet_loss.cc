#include "nn/losses/triplet_loss.h"

#include <algorithm>

#include "nn/kernels/error_rows.h"

namespace dl::nn {
namespace {

class TripletLoss : public Loss {
 public:
  explicit TripletLoss(double margin) : margin_(margin) {}

  void AddLosses(const Outputs& y, const Expected& expected, MetricSums& sums) const override {
    for (int64_t r = 0; r < y.rows; ++r) {
      if (!expected.Counts(r)) continue;
      const double shortfall = ShortfallOf(y, r);
      sums.AddLoss(expected.Weighted(r, shortfall < 0.0 ? 0.0 : shortfall));  // NaN stays NaN
    }
  }

  void Gradient(const Outputs& y, const Expected& expected, float* gradient) const override {
    const auto twice = static_cast<float>(2.0 * ShareOf(y, expected));
    for (int64_t r = 0; r < y.rows; ++r) {
      float* const row = gradient + r * y.outputs;
      if (ShortfallOf(y, r) <= 0.0) {
        std::fill_n(row, y.outputs, 0.0f);
        continue;
      }
      const int64_t n = y.outputs / 3;
      const float* const anchor = y.values + r * y.outputs;
      ErrorGradient(anchor + 2 * n, anchor + n, n, twice, row);
      ErrorGradient(anchor + n, anchor, n, twice, row + n);
      ErrorGradient(anchor, anchor + 2 * n, n, twice, row + 2 * n);
    }
  }

 private:
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
