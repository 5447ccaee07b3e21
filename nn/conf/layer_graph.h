// Builds a graph of layers with shapes from the layers that a user lists. Each layer reads layers
// before it, so a cycle cannot be expressed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nn/conf/layer_config.h"

namespace dl::nn {

// Returns the first limits::kMaxName bytes of `name` in quotes. Escapes bytes that a terminal or a
// JSON writer could not handle.
std::string QuotedName(std::string_view name);
// Returns `layer "conv1" (layers[0], conv2d)`.
std::string WhereOfLayer(const LayerConf& layer, size_t index);

// Checks each layer, resolves what it reads, infers shapes and inserts adapters. All layers in
// `listed` must have names. nullopt stands for a layer that could not be read, which the caller
// reports. The result is complete if no mistake was added and no entry is nullopt.
std::vector<LayerConfig> ConnectLayers(const ModelConfig& model,
                                       const std::vector<std::optional<LayerConf>>& listed,
                                       Mistakes& mistakes);

}  // namespace dl::nn
