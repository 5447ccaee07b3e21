#include "dataset/normalizer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/json.h"
#include "base/portable_math.h"
#include "dataset/double_list.h"

namespace dl::dataset {
namespace {

// Returns the number of consecutive elements of a row that share an entry: the pixels of a channel,
// or 1.
int64_t GroupSize(const Schema& schema) {
  return schema.feature_shape.size() < 3 ? 1 : schema.FeatureSize() / schema.NormalizedFeatures();
}

// Returns the number of values in the table that share an entry.
double ValuesOfGroup(const ExampleTable& table) {
  const Schema& schema = table.schema;
  if (schema.variable_length)
    return static_cast<double>(
        std::accumulate(table.lengths.begin(), table.lengths.end(), int64_t{0}));
  return static_cast<double>(table.examples) *
         static_cast<double>(schema.FeatureSize() / schema.NormalizedFeatures());
}

// Calls visit(group, value as double) for each value in source order. Skips padding.
// Also replaces missing numbers.
template <typename Visit>
Status ForEachValue(const ExampleTable& table, Visit visit) {
  const int64_t groups = table.schema.NormalizedFeatures();
  const int64_t size = GroupSize(table.schema);
  const int64_t steps = table.schema.feature_shape[0];
  const std::vector<float> fills = FillsOf(table.schema);
  const auto plain = [](int64_t /*group*/, auto value) { return static_cast<double>(value); };
  const auto filled = [&](int64_t group, float value) {
    return static_cast<double>(std::isnan(value) ? fills[static_cast<size_t>(group)] : value);
  };
  int64_t step = 0;  // step of a sequence, counted through all examples
  const auto walk = [&](const auto* at, const auto* end, const auto& value_of) {
    while (at != end) {
      const bool padding =
          table.schema.variable_length && step % steps >= table.lengths[step / steps];
      ++step;
      if (padding) {
        at += groups;
        continue;
      }
      for (int64_t group = 0; group < groups; ++group) {
        for (int64_t i = 0; i < size; ++i) visit(group, value_of(group, *at++));
      }
    }
  };
  return VisitFeatures(table, [&](std::span<const std::byte> rows) {
    if (table.schema.feature_type() == FeatureType::kU8) {
      const auto* begin = reinterpret_cast<const uint8_t*>(rows.data());
      walk(begin, begin + rows.size(), plain);
    } else {
      const auto* begin = reinterpret_cast<const float*>(rows.data());
      const auto* end = begin + rows.size() / sizeof(float);
      if (fills.empty())
        walk(begin, end, plain);
      else
        walk(begin, end, filled);
    }
    return absl::OkStatus();
  });
}

Json JsonWithoutHash(const Normalizer& normalizer) {
  Json json = {{"kind", std::string(NormalizerKindName(normalizer.kind))}};
  if (normalizer.kind == NormalizerKind::kStandardize) {
    json["mean"] = normalizer.first;
    json["std"] = normalizer.second;
  } else if (normalizer.kind == NormalizerKind::kMinMax) {
    json["min"] = normalizer.first;
    json["max"] = normalizer.second;
  }
  return json;
}

void ReadRequiredDoubles(JsonObjectReader& reader, std::string_view key, std::vector<double>& out) {
  reader.Require(key);
  ReadDoubles(reader, key, out);
}

}  // namespace

std::string_view NormalizerKindName(NormalizerKind kind) {
  switch (kind) {
    case NormalizerKind::kNone:
      return "none";
    case NormalizerKind::kStandardize:
      return "standardize";
    case NormalizerKind::kMinMax:
      return "min_max";
  }
  return "unknown";
}

StatusOr<NormalizerKind> NormalizerKindFromName(std::string_view name) {
  for (NormalizerKind kind :
       {NormalizerKind::kNone, NormalizerKind::kStandardize, NormalizerKind::kMinMax}) {
    if (NormalizerKindName(kind) == name) return kind;
  }
  return InvalidArgument(
      {.message = absl::StrCat("\"", std::string(name), "\" is not a normalizer"),
       .remedy = "Use none, standardize or min_max"});
}

namespace {

// Leaves features of categories unchanged. A rare category would otherwise get arbitrarily large
// values, and the number of a category is not a quantity.
void LeaveCategories(const Schema& schema, Normalizer& normalizer) {
  size_t at = 0;
  for (const FeatureColumn& column : schema.columns()) {
    const auto width = static_cast<size_t>(column.Width());
    for (size_t i = at; i < at + width && column.HasCategories(); ++i) {
      normalizer.first[i] = 0.0;
      normalizer.second[i] = 1.0;
    }
    at += width;
  }
}

}  // namespace

StatusOr<Normalizer> FitNormalizer(NormalizerKind kind, const ExampleTable& table) {
  Normalizer out = {.kind = kind};
  if (kind == NormalizerKind::kNone) return out;
  const int64_t groups = table.schema.NormalizedFeatures();
  const bool is_min_max = kind == NormalizerKind::kMinMax;
  out.first.assign(groups, is_min_max ? HUGE_VAL : 0.0);
  out.second.assign(groups, is_min_max ? -HUGE_VAL : 0.0);
  double *const first = out.first.data(), *const second = out.second.data();
  if (is_min_max) {
    DL_RETURN_IF_ERROR(ForEachValue(table, [=](int64_t group, double x) {
      if (x < first[group]) first[group] = x;
      if (x > second[group]) second[group] = x;
    }));
    LeaveCategories(table.schema, out);
    return out;
  }
  const double count = ValuesOfGroup(table);
  DL_RETURN_IF_ERROR(ForEachValue(table, [=](int64_t group, double x) { first[group] += x; }));
  for (double& mean : out.first) mean /= count;
  DL_RETURN_IF_ERROR(ForEachValue(table, [=](int64_t group, double x) {
    const double d = x - first[group];
    second[group] += d * d;
  }));
  for (double& deviation : out.second) deviation = portable::Sqrt(deviation / count);
  LeaveCategories(table.schema, out);
  return out;
}

Status ValidateNormalizer(const Normalizer& normalizer, const Schema& schema) {
  return ValidateEntries(normalizer,
                         normalizer.kind == NormalizerKind::kNone ? 0 : schema.NormalizedFeatures(),
                         "normalizer");
}

Status ValidateEntries(const Normalizer& normalizer, int64_t count, std::string_view what) {
  const auto entries = static_cast<size_t>(count);
  if (normalizer.first.size() != entries || normalizer.second.size() != entries) {
    return InvalidArgument(
        {.message = absl::StrCat("the normalizer has ", normalizer.first.size(), " and ",
                                 normalizer.second.size(), " entries, but must have ", entries,
                                 " of each"),
         .where = std::string(what)});
  }
  for (size_t i = 0; i < entries; ++i) {
    const double low = normalizer.kind == NormalizerKind::kMinMax ? normalizer.first[i] : 0.0;
    if (!std::isfinite(normalizer.first[i]) || !std::isfinite(normalizer.second[i]) ||
        normalizer.second[i] < low) {
      return InvalidArgument(
          {.message = absl::StrCat("the normalizer's entry ", i, " is out of range"),
           .where = std::string(what)});
    }
  }
  return absl::OkStatus();
}

double ScaleOf(const Normalizer& normalizer, size_t entry) {
  const double spread = normalizer.kind == NormalizerKind::kMinMax
                            ? normalizer.second[entry] - normalizer.first[entry]
                            : normalizer.second[entry];
  const double scale = 1.0 / spread;
  return spread > 0.0 && std::isfinite(scale) ? scale : 1.0;
}

std::string NormalizerSha256(const Normalizer& normalizer) {
  return Sha256Hex(JsonWithoutHash(normalizer).dump());
}

Json NormalizerToJson(const Normalizer& normalizer) {
  Json json = JsonWithoutHash(normalizer);
  json["sha256"] = NormalizerSha256(normalizer);
  return json;
}

StatusOr<Normalizer> NormalizerFromJson(const Json& json, const std::string& path) {
  Normalizer out;
  std::string kind = "none", sha256;
  JsonObjectReader reader(json, path);
  reader.Require("kind");
  reader.Require("sha256");
  reader.OneOf("kind", kind, {"none", "standardize", "min_max"});
  reader.String("sha256", sha256);
  if (kind == "standardize") {
    out.kind = NormalizerKind::kStandardize;
    ReadRequiredDoubles(reader, "mean", out.first);
    ReadRequiredDoubles(reader, "std", out.second);
  } else if (kind == "min_max") {
    out.kind = NormalizerKind::kMinMax;
    ReadRequiredDoubles(reader, "min", out.first);
    ReadRequiredDoubles(reader, "max", out.second);
  }
  DL_RETURN_IF_ERROR(reader.Finish());
  if (sha256 != NormalizerSha256(out)) {
    return DataLoss({.message = "the normalizer's hash does not match its values", .where = path});
  }
  return out;
}

FeatureScaler::FeatureScaler(const Schema& schema, const Normalizer& normalizer)
    : group_size_(GroupSize(schema)), fills_(FillsOf(schema)) {
  for (size_t i = 0; i < normalizer.first.size(); ++i) {
    shift_.push_back(normalizer.first[i]);
    scale_.push_back(ScaleOf(normalizer, i));
  }
  if (schema.feature_type() != FeatureType::kU8) return;
  if (shift_.empty()) group_size_ = schema.FeatureSize();
  for (size_t group = 0; group < std::max<size_t>(shift_.size(), 1); ++group) {
    for (int value = 0; value < 256; ++value) {
      bytes_.push_back(shift_.empty()
                           ? static_cast<float>(value)
                           : static_cast<float>((value - shift_[group]) * scale_[group]));
    }
  }
}

void FeatureScaler::Apply(std::span<const uint8_t> row, std::span<float> out) const {
  const float* table = bytes_.data();
  for (size_t begin = 0; begin < row.size(); begin += group_size_, table += 256) {
    if (table == bytes_.data() + bytes_.size()) table = bytes_.data();
    for (size_t i = begin; i < begin + group_size_; ++i) out[i] = table[row[i]];
  }
}

void FeatureScaler::Apply(std::span<const float> row, std::span<float> out) const {
  if (!fills_.empty()) {
    for (size_t i = 0; i < row.size(); ++i)
      out[i] = std::isnan(row[i]) ? fills_[i % fills_.size()] : row[i];
    row = out.first(row.size());
  } else if (shift_.empty()) {
    std::copy(row.begin(), row.end(), out.begin());
  }
  if (shift_.empty()) return;
  size_t group = 0;
  for (size_t begin = 0; begin < row.size(); begin += group_size_, ++group) {
    if (group == shift_.size()) group = 0;
    const double shift = shift_[group], scale = scale_[group];
    for (size_t i = begin; i < begin + group_size_; ++i) {
      out[i] = static_cast<float>((static_cast<double>(row[i]) - shift) * scale);
    }
  }
}

}  // namespace dl::dataset
