// Layers that have weights of another one (weights_of): branches that compute the same of different
// inputs, as siamese networks do (Bromley et al., NIPS 1993), or the output of a language model
// that has the embedding's (Press, Wolf, EACL 2017).
#pragma once

#include <vector>

#include "nn/conf/layer_config.h"
#include "nn/conf/mistakes.h"

namespace dl::nn {

// Moves each parameter of `layer` that layers[owner] has too, or shares itself, from those that are
// its own to those that it shares. False after a mistake: none is like another, one of the same
// name has another shape, the layer says how weights change that are not its own, or it has running
// moments, which follow what it reads. A layer may be frozen if layers[owner] is.
bool ShareWeights(const std::vector<LayerConfig>& layers, int owner, LayerConfig& layer,
                  Mistakes& mistakes);

}  // namespace dl::nn
