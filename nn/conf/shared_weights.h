// Layers that share the weights of another layer (weights_of). Siamese networks use it for branches
// that compute the same function of different inputs (Bromley et al., NIPS 1993). Language models
// use it for an output with the weights of the embedding (Press, Wolf, EACL 2017).
#pragma once

#include <vector>

#include "nn/conf/layer_config.h"
#include "nn/conf/mistakes.h"

namespace dl::nn {

// Moves each parameter of `layer` that layers[owner] also has (or shares itself) from its own
// parameters to its shared parameters. Adds a mistake and returns false in these cases: no
// parameter matches; shapes differ; the layer states how its weights start or change; it has
// running moments, which follow its own input. A layer may be frozen if layers[owner] is.
bool ShareWeights(const std::vector<LayerConfig>& layers, int owner, LayerConfig& layer,
                  Mistakes& mistakes);

}  // namespace dl::nn
