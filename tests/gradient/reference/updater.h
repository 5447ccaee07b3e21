// One step of nn/conf/model_config.h, items 1 to 7, with the rules of nn/conf/updaters.
#pragma once

#include "base/segment_table.h"
#include "nn/conf/model_config.h"
#include "tests/gradient/reference/layer.h"

namespace dl::reference {

struct Step {
  double learning_rate = 0;
  int64_t update_count = 1;  // 1-based: Adam's t + 1
};

// Updates weights and updater state in `state`, laid out by `table` (FullTable of the model).
// `gradient` has the mean loss's gradient of each parameter at its offset in `table`.
void ApplyUpdate(const nn::ModelConfig& model, const SegmentTable& table, const Step& step,
                 Values gradient, Values& state);

}  // namespace dl::reference
