// Builds a graph of layers with shapes from the layers that a user lists. Each layer reads inputs
// of the model or layers earlier in the list, so a cycle cannot be expressed.
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

// Returns the layers of the model in the order of `listed`. Checks each layer, finds the layers and
// inputs that it reads by their names, and infers its shapes. Inserts a flatten layer (an adapter)
// before a layer that needs a flat vector and reads an image or a volume. A nullopt in `listed` is
// a layer that could not be read; the caller reports it. Adds each mistake to `mistakes`. If there
// is none and no entry is nullopt, also adds a mistake for each input that no layer reads, and for
// each layer without a loss that no later layer reads. If `mistakes` grew or an entry is nullopt,
// the result may be incomplete and must not be used. REQUIRES: all layers in `listed` have names.
std::vector<LayerConfig> ConnectLayers(const ModelConfig& model,
                                       const std::vector<std::optional<LayerConf>>& listed,
                                       Mistakes& mistakes);

}  // namespace dl::nn
