#include "nn/losses/loss.h"

#include "nn/conf/kinds.h"
#include "nn/kernels/rows.h"

namespace dl::nn {

void Predict(LossKind kind, const Outputs& y) {
  switch (kind) {
    case LossKind::kSoftmaxCrossEntropy:
      return SoftmaxForward(y.values, y.rows, y.outputs);
    case LossKind::kMeanSquaredError:
      return;
  }
}

void AddLosses(LossKind kind, const Outputs& y, const Expected& expected, MetricSums& sums) {
  for (int64_t r = 0; r < y.rows; ++r) {
    float* const row = y.values + r * y.outputs;
    switch (kind) {
      case LossKind::kSoftmaxCrossEntropy: {
        const int64_t label = expected.labels[r];
        const int64_t predicted =
            ArgMax(row, y.outputs);  // of the logits: softmax may round two to the same value
        sums.AddLoss(SoftmaxCrossEntropyRow(row, y.outputs, label));
        sums.AddPrediction(label, predicted);
        break;
      }
      case LossKind::kMeanSquaredError: {
        const float* const target = expected.targets.data() + r * y.outputs;
        sums.AddLoss(SquaredErrorRow(row, target, y.outputs) / static_cast<double>(y.outputs));
        break;
      }
    }
  }
}

void LossGradient(LossKind kind, const Outputs& y, const Expected& expected, float* gradient) {
  const double rows = static_cast<double>(y.rows);
  switch (kind) {
    case LossKind::kSoftmaxCrossEntropy: {
      const auto scale = static_cast<float>(1.0 / rows);
      for (int64_t r = 0; r < y.rows; ++r) {
        SoftmaxCrossEntropyGradient(y.values + r * y.outputs, y.outputs, expected.labels[r], scale,
                                    gradient + r * y.outputs);
      }
      return;
    }
    case LossKind::kMeanSquaredError: {
      const auto scale = static_cast<float>(2.0 / (rows * static_cast<double>(y.outputs)));
      SquaredErrorGradient(y.values, expected.targets.data(), y.rows * y.outputs, scale, gradient);
      return;
    }
  }
}

}  // namespace dl::nn
