#include "dataset/target_normalizer.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/portable_math.h"

namespace dl::dataset {
namespace {

Status BadTargets(std::string message) {
  return InvalidArgument({.message = std::move(message),
                          .where = "target normalizer",
                          .remedy = "Set training.target_normalizer to \"none\""});
}

// Calls visit(target, value as double) for each target of each existing label, in source order.
template <typename Visit>
void ForEachTarget(const ExampleTable& table, Visit visit) {
  const int64_t width = table.schema.target_size(), labels = table.schema.labels_per_example();
  const bool has_padding = table.schema.variable_length && labels > 1;
  for (int64_t e = 0; e < table.examples; ++e) {
    const int64_t own = has_padding ? table.lengths[e] : labels;
    const float* label = table.targets.data() + e * labels * width;
    for (int64_t i = 0; i < own * width; ++i) visit(i % width, static_cast<double>(label[i]));
  }
}

void FitRange(const ExampleTable& table, Normalizer& out) {
  std::fill(out.first.begin(), out.first.end(), HUGE_VAL);
  std::fill(out.second.begin(), out.second.end(), -HUGE_VAL);
  ForEachTarget(table, [&](int64_t target, double x) {
    out.first[target] = std::min(out.first[target], x);
    out.second[target] = std::max(out.second[target], x);
  });
}

void FitMoments(const ExampleTable& table, Normalizer& out) {
  int64_t values = 0;
  ForEachTarget(table, [&](int64_t target, double x) {
    out.first[target] += x;
    ++values;
  });
  const auto count = static_cast<double>(values) / static_cast<double>(out.first.size());
  for (double& mean : out.first) mean /= count;
  ForEachTarget(table, [&](int64_t target, double x) {
    const double d = x - out.first[target];
    out.second[target] += d * d;
  });
  for (double& deviation : out.second) deviation = portable::Sqrt(deviation / count);
}

}  // namespace

bool IsScaled(const TargetNormalizerOptions& options, const Schema& schema, int64_t target) {
  if (options.kind == NormalizerKind::kNone) return false;
  // Other numbers of targets are an error of FitTargetNormalizer.
  const auto size = static_cast<int64_t>(options.scaled.size());
  if (size > 0 && (target >= size || !options.scaled[target])) return false;
  return schema.target_columns().empty() || schema.target_columns()[target].IsNumber();
}

StatusOr<Normalizer> FitTargetNormalizer(const TargetNormalizerOptions& options,
                                         const ExampleTable& table) {
  Normalizer out = {.kind = options.kind};
  if (options.kind == NormalizerKind::kNone) return out;
  const Schema& schema = table.schema;
  if (schema.label_kind() != LabelKind::kTarget)
    return BadTargets("the labels are not numbers, and a target normalizer scales numbers");
  const auto width = static_cast<size_t>(schema.target_size());
  if (!options.scaled.empty() && options.scaled.size() != width) {
    return BadTargets(absl::StrCat("a label has ", width, " numbers, the model's outputs take ",
                                   options.scaled.size()));
  }
  out.first.assign(width, 0.0);
  out.second.assign(width, 0.0);
  if (options.kind == NormalizerKind::kMinMax) {
    FitRange(table, out);
  } else {
    FitMoments(table, out);
  }
  for (size_t target = 0; target < width; ++target) {
    if (IsScaled(options, schema, static_cast<int64_t>(target))) continue;
    out.first[target] = 0.0;
    out.second[target] = 1.0;
  }
  return out;
}

Status ValidateTargetNormalizer(const Normalizer& normalizer, const Schema& schema) {
  const bool is_none = normalizer.kind == NormalizerKind::kNone;
  if (!is_none && schema.label_kind() != LabelKind::kTarget)
    return BadTargets("the labels are not numbers, and a target normalizer scales numbers");
  return ValidateEntries(normalizer, is_none ? 0 : schema.target_size(), "target normalizer");
}

TargetScaler::TargetScaler(const Normalizer& normalizer) : shift_(normalizer.first) {
  for (size_t i = 0; i < normalizer.first.size(); ++i) scale_.push_back(ScaleOf(normalizer, i));
}

void TargetScaler::Apply(std::span<const float> targets, std::span<float> out) const {
  if (IsIdentity()) {
    std::copy(targets.begin(), targets.end(), out.begin());
    return;
  }
  for (size_t i = 0; i < targets.size(); ++i) {
    const size_t target = i % shift_.size();
    out[i] =
        static_cast<float>((static_cast<double>(targets[i]) - shift_[target]) * scale_[target]);
  }
}

void TargetScaler::Restore(int64_t first, int64_t count, std::span<float> predictions) const {
  if (IsIdentity()) return;
  for (size_t i = 0; i < predictions.size(); ++i) {
    const size_t target = static_cast<size_t>(first) + i % static_cast<size_t>(count);
    predictions[i] =
        static_cast<float>(static_cast<double>(predictions[i]) / scale_[target] + shift_[target]);
  }
}

}  // namespace dl::dataset
