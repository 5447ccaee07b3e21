#include "nn/losses/focal_loss.h"

#include <algorithm>
#include <limits>

#include "base/portable_math.h"
#include "nn/kernels/row_kernels.h"
#include "nn/losses/class_loss.h"

namespace dl::nn {
namespace {

class FocalLoss : public ClassLoss {
 public:
  explicit FocalLoss(const Focal& conf)
      : ClassLoss(conf.class_weights.values), gamma_(conf.gamma) {}

 private:
  double RowLoss(float* row, int64_t classes, int64_t label) const override {
    const double cross_entropy = SoftmaxCrossEntropyRow(row, classes, label);
    return cross_entropy * portable::Pow(MissOf(row[label]), gamma_);
  }

  void RowGradient(const Outputs& row, int64_t label, double scale,
                   float* gradient) const override {
    constexpr double kSmallest = std::numeric_limits<float>::min();  // has a logarithm
    const auto p = static_cast<double>(row.values[label]);
    const double miss = MissOf(row.values[label]);
    double factor = portable::Pow(miss, gamma_);
    if (miss > 0.0) factor -= gamma_ * p * factor * (portable::Log(std::max(p, kSmallest)) / miss);
    SoftmaxCrossEntropyGradient(row.values, row.outputs, label, static_cast<float>(scale * factor),
                                gradient);
  }

  // Returns 1 - p, at least 0. Returns 0 for NaN.
  static double MissOf(float p) {
    const double miss = 1.0 - static_cast<double>(p);
    return miss > 0.0 ? miss : 0.0;
  }

  const double gamma_;
};

}  // namespace

std::unique_ptr<const Loss> MakeFocal(const Focal& conf) {
  return std::make_unique<FocalLoss>(conf);
}

}  // namespace dl::nn
