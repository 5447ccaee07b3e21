#include "nn/conf/gradient_normalization.h"

#include "nn/conf/kinds.h"
#include "nn/conf/typed_object.h"

namespace dl::nn {
namespace {

using enum GradientNormalizationKind;

std::string_view NormalizationTag(GradientNormalizationKind kind) {
  switch (kind) {
    case kNone:
      return "none";
    case kClipNormPerLayer:
      return "clip_norm_per_layer";
    case kClipNormPerParameter:
      return "clip_norm_per_parameter";
    case kRenormalizePerLayer:
      return "renormalize_per_layer";
    case kRenormalizePerParameter:
      return "renormalize_per_parameter";
  }
  return kNoTag;
}

}  // namespace

template <typename Self, typename Visit>
void GradientNormalization::Fields(Self& self, Visit&& visit) {
  if (self.kind != kClipNormPerLayer && self.kind != kClipNormPerParameter) return;
  visit(Field{.key = "threshold",
              .what = "the threshold of the gradient normalization",
              .min = 1e-30,
              .max = 1e30,
              .meaning = "Largest L2 norm of the gradient of a layer or tensor"},
        self.threshold);
}

GradientNormalization NoNormalization() { return {kNone}; }
GradientNormalization ClipNormPerLayer(double threshold) { return {kClipNormPerLayer, threshold}; }
GradientNormalization ClipNormPerParameter(double threshold) {
  return {kClipNormPerParameter, threshold};
}
GradientNormalization RenormalizePerLayer() { return {kRenormalizePerLayer}; }
GradientNormalization RenormalizePerParameter() { return {kRenormalizePerParameter}; }

bool IsPerLayer(GradientNormalizationKind kind) {
  return kind == kClipNormPerLayer || kind == kRenormalizePerLayer;
}

std::string_view TagOf(const GradientNormalization& normalization) {
  return NormalizationTag(normalization.kind);
}

std::vector<GradientNormalization> DefaultsOf(const GradientNormalization*) {
  std::vector<GradientNormalization> defaults;
  for (const GradientNormalizationKind kind : AllKinds(NormalizationTag))
    defaults.push_back({kind});
  return defaults;
}

Json ToJson(const GradientNormalization& normalization) { return TypedToJson(normalization); }

void ReadValue(JsonObjectReader& reader, std::string_view key, GradientNormalization& out) {
  ReadTyped(reader, key, out);
}

void CheckValue(const Field&, const GradientNormalization& normalization, Mistakes& mistakes) {
  CheckFields(MembersOf(normalization), mistakes);
}

void DescribeValue(const Field& field, const GradientNormalization& normalization,
                   std::vector<KeyRow>& rows) {
  DescribeTyped(field, normalization, "Scope and kind of the normalization", rows);
}

}  // namespace dl::nn
