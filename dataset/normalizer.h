// Normalizers: y = (x - shift) * scale, in double, rounded to float once. Each normalized feature
// (Schema::NormalizedFeatures) has a shift and a scale: channels of an image, features of a table,
// features of a sequence over all of its steps. Fitted on the training split in source order in
// double, stored with the manifest, applied to every split.
//
//   none         y = x. Bytes stay 0..255.
//   standardize  shift = mean, scale = 1 / standard deviation (of the population, two passes)
//   min_max      shift = min,  scale = 1 / (max - min): [0, 1] on the training split
//
// A feature without any spread keeps scale 1, so it becomes 0 on the training split and never a
// NaN. Features that are categories of a table (dataset/feature_column.h) stay as they are.
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
StatusOr<NormalizerKind> NormalizerKindFromName(std::string_view name);

struct Normalizer {
  NormalizerKind kind = NormalizerKind::kNone;
  // Mean and standard deviation, or minimum and maximum, of each normalized feature of the schema.
  // Empty for kNone.
  std::vector<double> first;
  std::vector<double> second;

  bool operator==(const Normalizer&) const = default;
};

// REQUIRES: ValidateTable(table) is OK.
StatusOr<Normalizer> FitNormalizer(NormalizerKind kind, const ExampleTable& table);

// Sizes match the schema, values are finite, deviations and ranges not negative.
Status ValidateNormalizer(const Normalizer& normalizer, const Schema& schema);
// The same of `count` entries, whatever they belong to. `what` is the place in the error.
Status ValidateEntries(const Normalizer& normalizer, int64_t count, std::string_view what);

// The factor of a value after the shift: 1 over the entry's spread, or 1 without any spread.
double ScaleOf(const Normalizer& normalizer, size_t entry);

// {"kind":"standardize","mean":[...],"std":[...],"sha256":"..."} or "min" and "max";
// {"kind":"none","sha256":...}.
Json NormalizerToJson(const Normalizer& normalizer);
// Checks the hash too.
StatusOr<Normalizer> NormalizerFromJson(const Json& json, const std::string& path);
// SHA-256 of the canonical JSON without the hash.
std::string NormalizerSha256(const Normalizer& normalizer);

// Applies a normalizer to rows; bytes go through a table of 256 values per channel. Immutable,
// thread-safe.
class FeatureScaler {
 public:
  // REQUIRES: both are valid and match.
  FeatureScaler(const Schema& schema, const Normalizer& normalizer);

  // `row` and `out` have FeatureSize() elements.
  void Apply(std::span<const uint8_t> row, std::span<float> out) const;
  void Apply(std::span<const float> row, std::span<float> out) const;

 private:
  int64_t group_size_ = 1;             // consecutive elements that share shift and scale
  std::vector<double> shift_, scale_;  // empty for none; behind the last comes the first again
  std::vector<float> bytes_;           // [groups, 256] for u8; one group for none
};

}  // namespace dl::dataset
