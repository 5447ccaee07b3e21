#include "job/sources/manifest_source.h"

#include "absl/strings/str_cat.h"
#include "base/lower_hex.h"

namespace dl::job {

void ManifestReference::Check(nn::Mistakes& mistakes) const {
  if (!sha256.empty() && !IsSha256Hex(sha256))
    mistakes.Add("sha256 is not 64 lower-case hex digits", "Give the manifest's SHA-256");
  if (summary.classes != 0 && summary.targets != 0)
    mistakes.Add("both classes and targets are given", "Set one of them to 0");
  if (summary.feature_shape.empty() || summary.feature_shape.size() > limits::kMaxRank) {
    mistakes.Add(
        absl::StrCat("feature_shape has ", summary.feature_shape.size(), " extents"),
        "Give [features], [steps, features], [channels, height, width] or [channels, depth, "
        "height, width]");
  }
  if (summary.labels_per_example > 1 && summary.targets > 0 &&
      (summary.feature_shape.size() != 2 ||
       summary.labels_per_example != summary.feature_shape[0])) {
    mistakes.Add("labels_per_example is not the number of steps of the sequence",
                 "Set labels_per_example to 1");
  }
  if (summary.label_sequences && summary.classes == 0)
    mistakes.Add("label_sequences requires classes", "Set label_sequences to false");
  if (summary.variable_length && summary.feature_shape.size() != 2) {
    mistakes.Add("variable_length requires sequences", "Set variable_length to false");
  }
  const std::vector<int64_t>& classes = summary.target_classes;
  if (!classes.empty() && static_cast<int64_t>(classes.size()) != summary.targets) {
    mistakes.Add(
        absl::StrCat("target_classes are ", classes.size(), ", but targets is ", summary.targets),
        "Give one number per target, or none");
  }
  for (const int64_t count : classes) {
    if (count >= 0 && count <= limits::kMaxClasses) continue;
    mistakes.Add(absl::StrCat("target_classes has ", count),
                 absl::StrCat("Use numbers from 0 to ", limits::kMaxClasses));
    break;
  }
  int64_t elements = 1;
  for (int64_t extent : summary.feature_shape) {
    const bool fits = extent >= 1 && extent <= limits::kMaxExtent &&
                      !__builtin_mul_overflow(elements, extent, &elements) &&
                      elements <= limits::kMaxExampleElements;
    if (fits) continue;
    mistakes.Add(
        "feature_shape has an extent below 1 or too many values",
        absl::StrCat("Use extents from 1 and at most ", limits::kMaxExampleElements, " values"));
    break;
  }
}

}  // namespace dl::job
