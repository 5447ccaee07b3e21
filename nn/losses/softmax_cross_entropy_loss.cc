#include "nn/losses/softmax_cross_entropy_loss.h"

#include "nn/kernels/row_kernels.h"
#include "nn/losses/class_loss.h"

namespace dl::nn {
namespace {

class PlainCrossEntropy : public ClassLoss {
 public:
  using ClassLoss::ClassLoss;

 private:
  double RowLoss(float* row, int64_t classes, int64_t label) const override {
    return SoftmaxCrossEntropyRow(row, classes, label);
  }
  void RowGradient(const Outputs& row, int64_t label, double scale,
                   float* gradient) const override {
    SoftmaxCrossEntropyGradient(row.values, row.outputs, label, static_cast<float>(scale),
                                gradient);
  }
  double RowStep(const Outputs& row, int64_t label, double scale) const override {
    return SoftmaxCrossEntropyStep(row.values, row.outputs, label, static_cast<float>(scale));
  }
};

class SmoothedCrossEntropy : public ClassLoss {
 public:
  explicit SmoothedCrossEntropy(const SoftmaxCrossEntropy& conf)
      : ClassLoss(conf.class_weights.values), smoothing_(conf.label_smoothing) {}

 private:
  double RowLoss(float* row, int64_t classes, int64_t label) const override {
    return SmoothedCrossEntropyRow(row, classes, {label, smoothing_});
  }
  void RowGradient(const Outputs& row, int64_t label, double scale,
                   float* gradient) const override {
    SmoothedCrossEntropyGradient(row.values, row.outputs, {label, smoothing_},
                                 static_cast<float>(scale), gradient);
  }
  double RowStep(const Outputs& row, int64_t label, double scale) const override {
    return SmoothedCrossEntropyStep(row.values, row.outputs, {label, smoothing_},
                                    static_cast<float>(scale));
  }

  const double smoothing_;
};

}  // namespace

std::unique_ptr<const Loss> MakeSoftmaxCrossEntropy(const SoftmaxCrossEntropy& conf) {
  if (conf.label_smoothing == 0)
    return std::make_unique<PlainCrossEntropy>(conf.class_weights.values);
  return std::make_unique<SmoothedCrossEntropy>(conf);
}

}  // namespace dl::nn
