// The training step after the gradient: items 1 to 7 of nn/conf/model_config.h, with the rules of
// nn/conf/updaters.
#pragma once

#include "base/segment_table.h"
#include "nn/conf/model_config.h"
#include "tests/gradient/reference/reference_layer.h"

namespace dl::reference {

struct Step {
  double learning_rate = 0;
  int64_t update_count = 1;  // from 1: Adam's t + 1
};

// Updates weights and updater state in `state`, laid out by `table` (FullTable of the model).
// `gradient` holds the gradient of the mean loss, each parameter's at its offset in `table`.
void ApplyUpdate(const nn::ModelConfig& model, const SegmentTable& table, const Step& step,
                 Values gradient, Values& state);

}  // namespace dl::reference
