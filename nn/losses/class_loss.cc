#include "nn/losses/class_loss.h"

#include "nn/kernels/row_kernels.h"

namespace dl::nn {

void ClassLoss::Predict(const Outputs& y) const { SoftmaxForward(y.values, y.rows, y.outputs); }

void ClassLoss::AddLosses(const Outputs& y, const Expected& expected, MetricSums& sums) const {
  for (int64_t r = 0; r < y.rows; ++r) {
    float* const row = y.values + r * y.outputs;
    if (!expected.Counts(r)) {
      SoftmaxForward(row, 1, y.outputs);
      continue;
    }
    const int64_t label = expected.labels[r];
    // Taken from the logits, because softmax may round two of them to the same value.
    const int64_t predicted = ArgMax(row, y.outputs);
    sums.AddLoss(expected.Weighted(r, RowLoss(row, y.outputs, label) * WeightOf(label)));
    sums.AddPrediction(label, predicted, expected.WeightOf(r));
  }
}

void ClassLoss::Gradient(const Outputs& y, const Expected& expected, float* gradient) const {
  const double share = ShareOf(y, expected);
  for (int64_t r = 0; r < y.rows; ++r) {
    const int64_t begin = r * y.outputs;
    if (!expected.Counts(r)) continue;  // its label is not a class
    const int64_t label = expected.labels[r];
    RowGradient({y.values + begin, 1, y.outputs}, label, share * WeightOf(label), gradient + begin);
  }
}

}  // namespace dl::nn
