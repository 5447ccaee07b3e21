#include "dataset/unit_changes.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "absl/strings/str_cat.h"
#include "base/printable.h"

namespace dl::dataset {
namespace {

constexpr int64_t kFewExamples = 10;
constexpr double kMostDeviations = 5;
constexpr double kSmallShare = 0.05;  // of the mean or the minimum of the training set
constexpr size_t kMostTold = 5;       // features in warnings

// Counts the values of a feature that are far from those of the training set.
struct Counted {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  double smallest = 0;  // of the magnitudes
  int64_t values = 0, far = 0;
  double example = 0;  // the first far value

  void Add(double value) {
    if (std::isnan(value)) return;  // is missing
    ++values;
    if (value >= low && value <= high && std::fabs(value) >= smallest) return;
    if (far++ == 0) example = value;
  }
  bool IsFar() const { return 2 * far > values; }
};

// Returns the limits of an entry of the normalizer. A feature with one value has none.
Counted LimitsOf(const Normalizer& normalizer, size_t entry) {
  const double first = normalizer.first[entry], second = normalizer.second[entry];
  if (normalizer.kind == NormalizerKind::kStandardize && second > 0) {
    // Few values of the training set are then near 0.
    const bool is_far_from_zero = std::fabs(first) >= 2 * second;
    return {.low = first - kMostDeviations * second,
            .high = first + kMostDeviations * second,
            .smallest = is_far_from_zero ? std::fabs(first) * kSmallShare : 0};
  }
  const double range = second - first;
  if (normalizer.kind == NormalizerKind::kMinMax && range > 0) {
    return {.low = first - range,
            .high = second + range,
            .smallest = first > 0 ? first * kSmallShare : 0};
  }
  return {};
}

// Returns what is compared; empty: nothing.
std::vector<Counted> CountedFeatures(const ExampleTable& table, const Normalizer& normalizer) {
  const Schema& schema = table.schema;
  const bool are_rows = schema.feature_shape.size() <= 2 && table.lengths.empty() &&
                        schema.feature_type() == FeatureType::kF32;
  const auto count = static_cast<size_t>(schema.NormalizedFeatures());
  if (!are_rows || normalizer.first.size() != count) return {};
  std::vector<Counted> counted;
  for (size_t i = 0; i < count; ++i) {
    counted.push_back(LimitsOf(normalizer, i));
    if (i < schema.origins().size() && schema.origins()[i] != 0) counted.back().smallest = 0;
  }
  size_t at = 0;
  for (const FeatureColumn& column : schema.columns()) {
    const auto width = static_cast<size_t>(column.Width());
    // Categories have no unit, and later dates are usual.
    for (size_t i = at; i < at + width && i < count && !column.IsNumber(); ++i) counted[i] = {};
    at += width;
  }
  return counted;
}

std::string Sentence(const std::string& name, const Counted& counted, const Normalizer& normalizer,
                     size_t entry, double origin) {
  const bool has_mean = normalizer.kind == NormalizerKind::kStandardize;
  const auto text = [&](double value) { return absl::StrCat(value + origin); };
  return absl::StrCat(name, ": ", counted.far, " of ", counted.values,
                      " values are far from those of the training ", "set, ",
                      has_mean ? "whose mean is " : "which are from ",
                      text(normalizer.first[entry]),
                      has_mean ? "" : absl::StrCat(" to ", text(normalizer.second[entry])),
                      ", such as ", text(counted.example), "; check the unit and the decimal sign");
}

void Tell(const std::vector<Counted>& counted, const Normalizer& normalizer,
          const std::vector<double>& origins, const std::vector<std::string>& names,
          std::vector<std::string>& sentences) {
  size_t told = 0;
  for (size_t i = 0; i < counted.size(); ++i) {
    if (!counted[i].IsFar() || told++ >= kMostTold) continue;
    const double origin = i < origins.size() ? origins[i] : 0;
    sentences.push_back(Sentence(names[i], counted[i], normalizer, i, origin));
  }
  if (told > kMostTold)
    sentences.push_back(absl::StrCat(told - kMostTold, " more features have such values"));
}

std::vector<std::string> FeatureNames(const Schema& schema, size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) {
    const bool is_named = i < schema.feature_names().size() && !schema.feature_names()[i].empty();
    names.push_back(is_named ? absl::StrCat("\"", Excerpt(schema.feature_names()[i]), "\"")
                             : absl::StrCat("feature ", i));
  }
  return names;
}

}  // namespace

StatusOr<std::vector<std::string>> FindUnitChanges(const ExampleTable& table,
                                                   const Normalizer& features,
                                                   const Normalizer& targets) {
  std::vector<std::string> sentences;
  if (table.examples < kFewExamples) return sentences;
  const Schema& schema = table.schema;
  std::vector<Counted> counted = CountedFeatures(table, features);
  if (!counted.empty()) {
    size_t feature = 0;
    DL_RETURN_IF_ERROR(VisitFeatures(table, [&](std::span<const std::byte> rows) {
      for (size_t at = 0; at + sizeof(float) <= rows.size(); at += sizeof(float)) {
        float value = 0;
        std::memcpy(&value, rows.data() + at, sizeof(value));
        counted[feature].Add(value);
        feature = feature + 1 == counted.size() ? 0 : feature + 1;
      }
      return absl::OkStatus();
    }));
  }
  Tell(counted, features, schema.origins(), FeatureNames(schema, counted.size()), sentences);
  const auto size = static_cast<size_t>(schema.target_size());
  if (size == 0 || targets.first.size() != size) return sentences;
  std::vector<Counted> labels;
  std::vector<std::string> names;
  for (size_t i = 0; i < size; ++i) {
    labels.push_back(LimitsOf(targets, i));
    if (i < schema.target_origins().size() && schema.target_origins()[i] != 0)
      labels.back().smallest = 0;
    names.push_back(size == 1 ? "the label" : absl::StrCat("the label ", i));
  }
  for (size_t i = 0; i < table.targets.size(); ++i) labels[i % size].Add(table.targets[i]);
  Tell(labels, targets, schema.target_origins(), names, sentences);
  return sentences;
}

}  // namespace dl::dataset
