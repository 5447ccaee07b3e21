// Normalizers of the numbers to predict. Training and evaluation compare predictions with y = (t -
// shift) * scale, computed in double and rounded to float once. They are fitted on the training
// split, stored with its manifest and applied to every split. Predictions and errors are converted
// back to the unit of the data before a user sees them.
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
  // For each target of a label, whether it is shifted and scaled. Empty: all are. Targets that are
  // categories are never scaled.
  std::vector<bool> scaled;

  bool operator==(const TargetNormalizerOptions&) const = default;
};

// Returns whether the normalizer shifts and scales the target.
bool IsScaled(const TargetNormalizerOptions& options, const Schema& schema, int64_t target);

// Fits an entry for each target of a label, over all examples and all existing steps. Targets that
// are not scaled keep shift 0 and scale 1. Returns InvalidArgument if the labels are not numbers,
// or if `scaled` is not empty and has another size than a label. With NormalizerKind::kNone,
// returns a normalizer without entries and checks nothing. REQUIRES: ValidateTable(table) is OK.
StatusOr<Normalizer> FitTargetNormalizer(const TargetNormalizerOptions& options,
                                         const ExampleTable& table);

// Returns InvalidArgument unless sizes match the schema's targets, values are finite, and
// deviations and ranges are not negative. Kind none must have no entries and fits all labels; other
// kinds fit only numbers.
Status ValidateTargetNormalizer(const Normalizer& normalizer, const Schema& schema);

// Applies a target normalizer and its inverse. Immutable, thread-safe.
class TargetScaler {
 public:
  // With kind none, all functions leave values unchanged. REQUIRES: the normalizer is valid.
  explicit TargetScaler(const Normalizer& normalizer);

  // Normalizes labels. `targets` and `out` hold whole labels with all targets.
  void Apply(std::span<const float> targets, std::span<float> out) const;

  // Converts predictions [rows, count] in place to the unit of the data. A row has the targets
  // `first` to first + count - 1, counted from 0.
  void Restore(int64_t first, int64_t count, std::span<float> predictions) const;

  bool IsIdentity() const { return shift_.empty(); }
  // Returns the difference in the unit of the data that corresponds to a difference of 1 between
  // normalized values.
  double UnitOf(int64_t target) const { return IsIdentity() ? 1.0 : 1.0 / scale_[target]; }

 private:
  std::vector<double> shift_, scale_;  // per target; empty for none
};

}  // namespace dl::dataset
