// Normalizers compute y = (x - shift) * scale in double and round once to float. Each normalized
// feature (Schema::NormalizedFeatures) has a shift and a scale: a channel of an image, a feature of
// a table, or a feature of a sequence over all steps. They are fitted on the training split in
// source order in double, stored with the manifest, and applied to every split. Steps after the end
// of a sequence do not count in the fit, but the normalizer is applied to their zeros, too.
//
//   none         y = x. Bytes stay 0..255.
//   standardize  shift = mean, scale = 1 / standard deviation (of the population, two passes)
//   min_max      shift = min,  scale = 1 / (max - min): [0, 1] on the training split
//
// NaN is a missing number: the value of FillsOf(schema) replaces it first, also in the fit.
//
// A feature with constant value has scale 1, so it becomes 0 on the training split and never NaN.
// Columns of categories (dataset/feature_column.h) have shift 0 and scale 1, so they stay
// unchanged.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/schema.h"

namespace dl::dataset {

// Stored by name.
enum class NormalizerKind : uint8_t { kNone = 1, kStandardize = 2, kMinMax = 3 };
std::string_view NormalizerKindName(NormalizerKind kind);  // "none", "standardize", "min_max"
StatusOr<NormalizerKind> NormalizerKindFromName(std::string_view name);  // or InvalidArgument

struct Normalizer {
  NormalizerKind kind = NormalizerKind::kNone;
  // Mean and standard deviation, or minimum and maximum, of each normalized feature of the schema.
  // Empty for kNone.
  std::vector<double> first;
  std::vector<double> second;

  bool operator==(const Normalizer&) const = default;
};

// Fits a normalizer on the features of a table. Returns errors of the table's temporary file.
// REQUIRES: ValidateTable(table) is OK.
StatusOr<Normalizer> FitNormalizer(NormalizerKind kind, const ExampleTable& table);

// Returns InvalidArgument unless sizes match the schema, values are finite, and deviations and
// ranges are not negative.
Status ValidateNormalizer(const Normalizer& normalizer, const Schema& schema);
// Makes the checks of ValidateNormalizer for a normalizer that must have `count` entries. `what` is
// the place in the error.
Status ValidateEntries(const Normalizer& normalizer, int64_t count, std::string_view what);

// Returns the scale of an entry: 1 / (standard deviation), or 1 / (max - min) for min_max. Returns
// 1 if the divisor is 0 or so small that the scale would be infinite.
double ScaleOf(const Normalizer& normalizer, size_t entry);

// Returns {"kind":"standardize","mean":[...],"std":[...],"sha256":"..."}, or the same with "min"
// and "max", or {"kind":"none","sha256":...}.
Json NormalizerToJson(const Normalizer& normalizer);
// Parses a normalizer and checks its hash. Returns InvalidArgument for another form of the JSON,
// and DataLoss for a wrong hash. `path` is the place in errors. Does not run ValidateNormalizer.
StatusOr<Normalizer> NormalizerFromJson(const Json& json, const std::string& path);
// Returns the SHA-256 of the canonical JSON without the hash.
std::string NormalizerSha256(const Normalizer& normalizer);

// Applies a normalizer to rows. Bytes are mapped by a table of 256 values per channel. Immutable,
// thread-safe.
class FeatureScaler {
 public:
  // REQUIRES: schema and normalizer are valid and match.
  FeatureScaler(const Schema& schema, const Normalizer& normalizer);

  // `row` and `out` must have FeatureSize() elements.
  void Apply(std::span<const uint8_t> row, std::span<float> out) const;
  void Apply(std::span<const float> row, std::span<float> out) const;

 private:
  int64_t group_size_ = 1;             // consecutive elements with the same shift and scale
  std::vector<double> shift_, scale_;  // used cyclically along a row; empty for none
  std::vector<float> fills_;           // FillsOf; used cyclically along a row of floats
  std::vector<float> bytes_;           // [groups, 256] for u8; one group for none
};

}  // namespace dl::dataset
