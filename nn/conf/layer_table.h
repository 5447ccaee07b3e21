// Table of a model's layers, one row for each, for users and for programs that inspect a job.
#pragma once

#include <string>
#include <vector>

#include "nn/conf/layer_flops.h"

namespace dl::nn {

struct LayerRow {
  std::string name;
  std::string type;
  InputType output;
  int64_t parameters = 0;  // its own
  // Name of the layer that owns its parameters; "" if it has its own or none.
  std::string parameters_of;
  LayerFlops flops;
  // Bytes that one example keeps from the layer's forward step to its backward step, including the
  // output, in the layout of the kernels.
  double kept_bytes = 0;
};
// Returns one row for each layer, adapters included.
std::vector<LayerRow> LayerTable(const ModelConfig& model);

// Returns the same table as text, with the model's inputs and the totals.
std::string Summary(const ModelConfig& model);

}  // namespace dl::nn
