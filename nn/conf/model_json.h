// The model document: the user's layers without adapters, every default written out. Reading it
// back gives an equal ModelConfig.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/document_kind.h"
#include "base/json_fwd.h"
#include "nn/conf/model_config.h"

namespace dl::nn {

inline constexpr DocumentKind kModelDocument({.name = "model", .version = 1});
inline constexpr std::string_view kDefaultModelName = "model";

Json ToJson(const ModelConfig& model);
// `path` is where the document stands ("model", or "" when it stands alone). All mistakes in one
// InvalidArgument, a line each: JSON mistakes with their path, config mistakes with the layer's
// name. VersionMismatch for a newer document.
StatusOr<ModelConfig> ModelFromJson(const Json& json, const std::string& path);

}  // namespace dl::nn
