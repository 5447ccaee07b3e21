#include "nn/losses/class_loss.h"

#include "nn/backend/parallel_for.h"
#include "nn/kernels/row_kernels.h"
#include "nn/losses/rows_in_order.h"

namespace dl::nn {

void ClassLoss::Predict(const Outputs& y) const {
  ForRows(y.rows, y.outputs, [&](int64_t begin, int64_t end) {
    SoftmaxForward(y.values + begin * y.outputs, end - begin, y.outputs);
  });
}

void ClassLoss::AddLosses(const Outputs& y, const Expected& expected, MetricSums& sums) const {
  struct Row {
    double loss;
    int64_t predicted;
  };
  const auto compute = [&](int64_t r) -> Row {
    float* const row = y.values + r * y.outputs;
    if (!expected.Counts(r)) {
      SoftmaxForward(row, 1, y.outputs);
      return {};
    }
    const int64_t label = expected.labels[r];
    // Taken from the logits, because softmax may round two of them to the same value.
    const int64_t predicted = ArgMax(row, y.outputs);
    return {RowLoss(row, y.outputs, label) * WeightOf(label), predicted};
  };
  RowsInOrder(y.rows, y.outputs, compute, [&](int64_t r, const Row& row) {
    if (!expected.Counts(r)) return;
    sums.AddLoss(expected.Weighted(r, row.loss));
    sums.AddPrediction(expected.labels[r], row.predicted, expected.WeightOf(r));
  });
}

double ClassLoss::RowStep(const Outputs& row, int64_t label, double scale) const {
  const double loss = RowLoss(row.values, row.outputs, label);
  RowGradient(row, label, scale, row.values);
  return loss;
}

void ClassLoss::AddRowInPlace(const Outputs& y, const Expected& expected, int64_t r, double share,
                              MetricSums& sums) const {
  const Outputs row{.values = y.values + r * y.outputs, .rows = 1, .outputs = y.outputs};
  const int64_t label = expected.labels[r];
  const double weight = WeightOf(label);
  // Taken from the logits, as in AddLosses.
  const int64_t predicted = ArgMax(row.values, row.outputs);
  sums.AddLoss(expected.Weighted(r, RowStep(row, label, share * weight) * weight));
  sums.AddPrediction(label, predicted, expected.WeightOf(r));
}

void ClassLoss::AddLossesInPlace(const Outputs& y, const Expected& expected, MetricSums& sums,
                                 RowDone done) const {
  const double share = ShareOf(y, expected);
  for (int64_t r = 0; r < y.rows; ++r) {
    if (expected.Counts(r)) AddRowInPlace(y, expected, r, share, sums);
    done(r);
  }
}

void ClassLoss::Gradient(const Outputs& y, const Expected& expected, float* gradient) const {
  const double share = ShareOf(y, expected);
  ForRows(y.rows, y.outputs, [&](int64_t first, int64_t last) {
    for (int64_t r = first; r < last; ++r) {
      const int64_t begin = r * y.outputs;
      if (!expected.Counts(r)) continue;  // its label is not a class
      const int64_t label = expected.labels[r];
      RowGradient({y.values + begin, 1, y.outputs}, label, share * WeightOf(label),
                  gradient + begin);
    }
  });
}

}  // namespace dl::nn
