// Base of losses that distinguish classes by a softmax. Predictions are probabilities. Each class
// may have a weight. The public functions call the private virtual functions on several threads at
// the same time, for different rows.
#pragma once

#include <vector>

#include "nn/losses/loss.h"

namespace dl::nn {

class ClassLoss : public Loss {
 public:
  explicit ClassLoss(std::vector<double> weights) : weights_(std::move(weights)) {}

  void Predict(const Outputs& y) const final;
  void AddLosses(const Outputs& y, const Expected& expected, MetricSums& sums) const final;
  void Gradient(const Outputs& y, const Expected& expected, float* gradient) const final;
  bool WorksInPlace() const final { return true; }
  void AddLossesInPlace(const Outputs& y, const Expected& expected, MetricSums& sums,
                        RowDone done) const final;

 private:
  // Returns the loss of one row and overwrites the row with its probabilities.
  virtual double RowLoss(float* row, int64_t classes, int64_t label) const = 0;
  // Sets `gradient` to `scale` times the gradient of the loss of one row. `row` holds the row's
  // probabilities. `gradient` may be the row.
  virtual void RowGradient(const Outputs& row, int64_t label, double scale,
                           float* gradient) const = 0;
  // Does both: returns the loss of one row and overwrites the row with its gradient.
  virtual double RowStep(const Outputs& row, int64_t label, double scale) const;
  // Adds the loss of one row that counts, and overwrites the row with its gradient.
  void AddRowInPlace(const Outputs& y, const Expected& expected, int64_t r, double share,
                     MetricSums& sums) const;

  double WeightOf(int64_t label) const {
    return label < static_cast<int64_t>(weights_.size()) ? weights_[label] : 1.0;
  }

  const std::vector<double> weights_;  // of the first classes; all others have weight 1
};

}  // namespace dl::nn
