#include "nn/losses/binary_cross_entropy_loss.h"

#include "nn/backend/parallel_for.h"
#include "nn/kernels/activations.h"
#include "nn/kernels/error_rows.h"
#include "nn/losses/mean_over_outputs.h"
#include "nn/metrics/binary_report.h"

namespace dl::nn {
namespace {

class BinaryCrossEntropyLoss : public MeanOverOutputs {
 public:
  explicit BinaryCrossEntropyLoss(const BinaryCrossEntropy& conf)
      : positive_(conf.positive_weights.begin(), conf.positive_weights.end()) {}

  void Predict(const Outputs& y) const override {
    ForElements(y.rows * y.outputs,
                [&](int64_t begin, int64_t end) { SigmoidForward(y.values + begin, end - begin); });
  }

  void AddLosses(const Outputs& y, const Expected& expected, MetricSums& sums) const override {
    MeanOverOutputs::AddLosses(y, expected, sums);
    Predict(y);
    if (y.outputs == 1) AddPredictions(y, expected, sums);
  }

 private:
  static void AddPredictions(const Outputs& y, const Expected& expected, MetricSums& sums) {
    for (int64_t r = 0; r < y.rows; ++r) {
      if (!expected.Counts(r)) continue;
      const float target = expected.targets[r];
      if (target != 0.0f && target != 1.0f) continue;
      sums.AddPrediction(target == 1.0f ? 1 : 0, SaysYes(y.values[r]) ? 1 : 0,
                         expected.WeightOf(r));
    }
  }
  double RowSum(const Compared& row) const override {
    if (!positive_.empty())
      return WeightedBinaryCrossEntropyRow(row.y, row.targets, row.n, Positive());
    return BinaryCrossEntropyRow(row.y, row.targets, row.n);
  }
  void Derivatives(const Compared& all, double share, float* gradient) const override {
    const auto scale = static_cast<float>(share);
    if (positive_.empty()) {
      ErrorGradient(all.y, all.targets, all.n, scale, gradient);
    } else {
      WeightedErrorGradient(all.y, all.targets, all.n, Positive(), scale, gradient);
    }
  }
  PositiveWeights Positive() const {
    return {positive_.data(), static_cast<int64_t>(positive_.size())};
  }

  const std::vector<float> positive_;  // one weight for all outputs, or one for each; empty means 1
};

}  // namespace

std::unique_ptr<const Loss> MakeBinaryCrossEntropy(const BinaryCrossEntropy& conf) {
  return std::make_unique<BinaryCrossEntropyLoss>(conf);
}

}  // namespace dl::nn
