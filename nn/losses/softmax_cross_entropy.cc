#include "nn/losses/softmax_cross_entropy.h"

#include "nn/kernels/rows.h"

namespace dl::nn {
namespace {

// Of classes. What differs is a row's loss, which leaves its probabilities, and its gradient.
class CrossEntropyOfClasses : public Loss {
 public:
  void Predict(const Outputs& y) const final { SoftmaxForward(y.values, y.rows, y.outputs); }

  void AddLosses(const Outputs& y, const Expected& expected, MetricSums& sums) const final {
    for (int64_t r = 0; r < y.rows; ++r) {
      float* const row = y.values + r * y.outputs;
      const int64_t label = expected.labels[r];
      // Of the logits: softmax may round two to the same value.
      const int64_t predicted = ArgMax(row, y.outputs);
      sums.AddLoss(RowLoss(row, y.outputs, label));
      sums.AddPrediction(label, predicted);
    }
  }

  void Gradient(const Outputs& y, const Expected& expected, float* gradient) const final {
    const auto scale = static_cast<float>(1.0 / static_cast<double>(y.rows));
    for (int64_t r = 0; r < y.rows; ++r) {
      const int64_t begin = r * y.outputs;
      RowGradient({y.values + begin, 1, y.outputs}, expected.labels[r], scale, gradient + begin);
    }
  }

 private:
  virtual double RowLoss(float* row, int64_t classes, int64_t label) const = 0;
  virtual void RowGradient(const Outputs& row, int64_t label, float scale,
                           float* gradient) const = 0;
};

class PlainCrossEntropy : public CrossEntropyOfClasses {
  double RowLoss(float* row, int64_t classes, int64_t label) const override {
    return SoftmaxCrossEntropyRow(row, classes, label);
  }
  void RowGradient(const Outputs& row, int64_t label, float scale, float* gradient) const override {
    SoftmaxCrossEntropyGradient(row.values, row.outputs, label, scale, gradient);
  }
};

class SmoothedCrossEntropy : public CrossEntropyOfClasses {
 public:
  explicit SmoothedCrossEntropy(double smoothing) : smoothing_(smoothing) {}

 private:
  double RowLoss(float* row, int64_t classes, int64_t label) const override {
    return SmoothedCrossEntropyRow(row, classes, {label, smoothing_});
  }
  void RowGradient(const Outputs& row, int64_t label, float scale, float* gradient) const override {
    SmoothedCrossEntropyGradient(row.values, row.outputs, {label, smoothing_}, scale, gradient);
  }

  const double smoothing_;
};

}  // namespace

std::unique_ptr<const Loss> MakeSoftmaxCrossEntropy(const SoftmaxCrossEntropy& conf) {
  if (conf.label_smoothing == 0) return std::make_unique<PlainCrossEntropy>();
  return std::make_unique<SmoothedCrossEntropy>(conf.label_smoothing);
}

}  // namespace dl::nn
