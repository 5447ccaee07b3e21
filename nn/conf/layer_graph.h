// From the layers that a user lists to a graph of layers with shapes: each reads layers that stand
// before it, so that no circle can be written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nn/conf/layer_config.h"

namespace dl::nn {

// `name` in quotes; messages hold no bytes that a terminal or a JSON writer could choke on.
std::string QuotedName(std::string_view name);
// `layer "conv1" (layers[0], conv2d)`
std::string WhereOfLayer(const LayerConf& layer, size_t index);

// Checks each layer, finds what it reads, infers shapes, inserts adapters. `listed` have names; a
// gap is a layer that could not be read, which somebody else reports. The result is whole where no
// mistake was added and there is no gap.
std::vector<LayerConfig> ConnectLayers(const ModelConfig& model,
                                       const std::vector<std::optional<LayerConf>>& listed,
                                       Mistakes& mistakes);

}  // namespace dl::nn
