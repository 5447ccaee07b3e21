// The model document: the user's layers without adapters, with defaults written out. Reading a
// document gives a ModelConfig that equals the one it was written from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/document_kind.h"
#include "base/json_fwd.h"
#include "nn/conf/model_config.h"

namespace dl::nn {

inline constexpr DocumentKind kModelDocument({.name = "model", .version = 1});
inline constexpr std::string_view kDefaultModelName = "model";  // of a document without a name

Json ToJson(const ModelConfig& model);
// Reads a model document. `path` is the position of the document ("model", or "" if it stands
// alone). InvalidArgument lists the mistakes, one per line. A mistake in the JSON names the path. A
// mistake in the config names the layer, the input or the model. Outputs and their labels are
// checked only if there are no other mistakes. VersionMismatch for a newer document.
StatusOr<ModelConfig> ModelFromJson(const Json& json, const std::string& path);

}  // namespace dl::nn
