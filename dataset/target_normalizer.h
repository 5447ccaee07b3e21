// Normalizers of the numbers that a model predicts: training and evaluation compare predictions
// with y = (t - shift) * scale, computed in double and rounded to float once. Fitted on the
// training split, stored with its manifest, applied to every split. Predictions and errors are
// brought back to the data's unit before a user sees them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/normalizer.h"
#include "dataset/schema.h"

namespace dl::dataset {

struct TargetNormalizerOptions {
  NormalizerKind kind = NormalizerKind::kNone;
  // For each target of a label whether it is shifted and scaled. Empty: every target that is no
  // category.
  std::vector<bool> scaled;

  bool operator==(const TargetNormalizerOptions&) const = default;
};

// Fits an entry for each target of a label, over all examples and all steps that exist. Targets
// that are not scaled keep shift 0 and scale 1. REQUIRES: ValidateTable(table) is OK.
// InvalidArgument when the labels are not numbers, or `scaled` has another size than a label.
StatusOr<Normalizer> FitTargetNormalizer(const TargetNormalizerOptions& options,
                                         const ExampleTable& table);

// Sizes match the schema's targets, values are finite, deviations and ranges not negative.
Status ValidateTargetNormalizer(const Normalizer& normalizer, const Schema& schema);

// Applies a target normalizer, and takes it back. Immutable, thread-safe.
class TargetScaler {
 public:
  // REQUIRES: a valid normalizer. With the kind none all functions leave values as they are.
  explicit TargetScaler(const Normalizer& normalizer);

  // `targets` and `out` are whole labels, of all targets each.
  void Apply(std::span<const float> targets, std::span<float> out) const;

  // Predictions of the `count` targets from `first` on become numbers in the data's unit.
  // REQUIRES: `predictions` are rows of `count`.
  void Restore(int64_t first, int64_t count, std::span<float> predictions) const;

  bool IsIdentity() const { return shift_.empty(); }
  // How much a difference of 1 between normalized values is in the data's unit.
  double UnitOf(int64_t target) const { return IsIdentity() ? 1.0 : 1.0 / scale_[target]; }

 private:
  std::vector<double> shift_, scale_;  // of each target; empty for none
};

}  // namespace dl::dataset
