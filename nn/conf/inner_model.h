// The part of a model up to an inner layer, whose outputs are asked for: features for another
// model, or a look inside.
#pragma once

#include <string>

#include "base/status.h"
#include "nn/conf/model_config.h"

namespace dl::nn {

// The layers that `layer` depends on, and `layer`, which gives the outputs: rows, as of a flattened
// image, or a row for each step of a sequence. Layers and their parameters keep their names. It
// ends with a loss that changes no prediction. InvalidArgument: the model has no layer of this
// name, the layer is an output of the model, or it depends on weights of a layer outside of the
// part.
StatusOr<ModelConfig> ModelUpTo(const ModelConfig& model, const std::string& layer);

}  // namespace dl::nn
