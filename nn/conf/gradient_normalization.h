// Scaling of gradients by the norm of each layer or of each tensor, with the modes of
// Deeplearning4j. Clipping by value, and by the norm of all gradients, are separate keys
// (nn/conf/model_config.h).
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
  double threshold = 1;              // clip_norm_...: largest L2 norm, from 1e-30 to 1e30
  bool operator==(const GradientNormalization&) const = default;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit);
};

GradientNormalization NoNormalization();
// g *= threshold / |g| if |g| > threshold. g is the gradient of a layer, or of one tensor.
GradientNormalization ClipNormPerLayer(double threshold = GradientNormalization().threshold);
GradientNormalization ClipNormPerParameter(double threshold = GradientNormalization().threshold);
// g /= |g|. A gradient of 0 stays 0.
GradientNormalization RenormalizePerLayer();
GradientNormalization RenormalizePerParameter();

// Returns whether the norm is that of a layer. Otherwise it is that of a tensor, or there is none.
bool IsPerLayer(GradientNormalizationKind kind);

// For reading, writing and describing the model's JSON (nn/conf/typed_object.h).
std::string_view TagOf(const GradientNormalization& normalization);
std::vector<GradientNormalization> DefaultsOf(const GradientNormalization*);
Json ToJson(const GradientNormalization& normalization);
void ReadValue(JsonObjectReader& reader, std::string_view key, GradientNormalization& out);
void CheckValue(const Field& field, const GradientNormalization& normalization, Mistakes& mistakes);
void DescribeValue(const Field& field, const GradientNormalization& normalization,
                   std::vector<KeyRow>& rows);

}  // namespace dl::nn
