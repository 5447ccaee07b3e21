// Table of a model's layers, with one row for each layer. Users read it as text. Programs that
// inspect a job read its values.
#pragma once

#include <string>
#include <vector>

#include "nn/conf/layer_flops.h"

namespace dl::nn {

struct LayerRow {
  std::string name;
  std::string type;
  InputType output;
  // Number of values in its own parameters. Running means and variances do not count.
  int64_t parameters = 0;
  // Name of the layer that owns its parameters; "" if it has its own or none.
  std::string parameters_of;
  LayerFlops flops;
  // Upper bound of the bytes that a minibatch of one example keeps from the layer's forward step to
  // its backward step (LayerMemory::kept). Includes the output, with the padding of kernels'
  // layouts.
  double kept_bytes = 0;
};

// Returns one row for each layer in the order of model.layers, adapters included.
std::vector<LayerRow> LayerTable(const ModelConfig& model);

// Returns the table as text. Rows for the model's inputs precede the layers, and a row with the
// totals follows them.
std::string Summary(const ModelConfig& model);

}  // namespace dl::nn
