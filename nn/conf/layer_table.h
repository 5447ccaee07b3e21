// What the layers of a model come to, a row each, for people and programs that look at a job.
#pragma once

#include <string>
#include <vector>

#include "nn/conf/layer_flops.h"

namespace dl::nn {

struct LayerRow {
  std::string name;
  std::string type;
  InputType output;
  int64_t parameters = 0;     // its own
  std::string parameters_of;  // the layer whose parameters are its; "": it has its own, or none
  LayerFlops flops;
  // Values of one example, its output among them, that stay from its forward to its backward step,
  // as kernels lay them out.
  double kept_bytes = 0;
};
std::vector<LayerRow> LayerTable(const ModelConfig& model);

// The same as text, with the model's inputs and the totals.
std::string Summary(const ModelConfig& model);

}  // namespace dl::nn
