// The part of a model up to an inner layer. Used to compute features for another model, or to
// inspect a model.
#pragma once

#include <string>

#include "base/status.h"
#include "nn/conf/model_config.h"

namespace dl::nn {

// Returns a model of `layer` and the layers that it depends on. The predictions of the returned
// model are the values of `layer`, as rows: flattened for an image or volume, one row per step for
// a sequence. Layers and parameters keep their names. A loss is appended that changes no
// prediction. The keys of the whole model that only training uses, such as the updater, have their
// defaults.
//
// Returns InvalidArgument
//   - if the model has no layer of this name, or the layer is an output of the model.
//   - if the part has no parameters, or does not read all inputs of the model.
//   - if the part shares weights with a layer outside of the part.
//   - if `layer` gives a sequence whose examples have other lengths than in the data
//     (nn/conf/step_lengths.h).
StatusOr<ModelConfig> ModelUpTo(const ModelConfig& model, const std::string& layer);

}  // namespace dl::nn
