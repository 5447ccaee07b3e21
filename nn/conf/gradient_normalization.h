// What becomes of gradients that are too long, layer by layer or tensor by tensor, as
// Deeplearning4j's modes have it. Clipping of values, and by the norm of all of them, are keys of
// their own (nn/conf/model_config.h).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"
#include "nn/conf/mistakes.h"

namespace dl::nn {

enum class GradientNormalizationKind : uint8_t;  // nn/conf/kinds.h

struct GradientNormalization {
  GradientNormalizationKind kind{};  // none
  double threshold = 1;              // of clipping
  bool operator==(const GradientNormalization&) const = default;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit);
};

GradientNormalization NoNormalization();
// g *= threshold / |g| where |g| > threshold, g all gradients of a layer, or one tensor's.
GradientNormalization ClipNormPerLayer(double threshold = GradientNormalization().threshold);
GradientNormalization ClipNormPerParameter(double threshold = GradientNormalization().threshold);
// g /= |g|; a gradient of 0 stays.
GradientNormalization RenormalizePerLayer();
GradientNormalization RenormalizePerParameter();

// Whether norms are those of layers; else of tensors.
bool IsPerLayer(GradientNormalizationKind kind);

std::string_view TagOf(const GradientNormalization& normalization);
std::vector<GradientNormalization> DefaultsOf(const GradientNormalization*);
Json ToJson(const GradientNormalization& normalization);
void ReadValue(JsonObjectReader& reader, std::string_view key, GradientNormalization& out);
void CheckValue(const Field& field, const GradientNormalization& normalization, Mistakes& mistakes);
void DescribeValue(const Field& field, const GradientNormalization& normalization,
                   std::vector<KeyRow>& rows);

}  // namespace dl::nn
