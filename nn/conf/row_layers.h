// Layers that compute each row of a sequence by itself. After the last layer that mixes rows,
// training needs only the rows that count in the loss (nn/layers/counted_rows_only.h).
#pragma once

#include <cstddef>
#include <vector>

#include "nn/conf/model_config.h"
#include "nn/conf/model_outputs.h"

namespace dl::nn {

// Returns whether row r of the layer's output depends only on row r of each input and on
// parameters, for inputs that are vectors or sequences. False for layers that draw random numbers,
// because these depend on the index of the row.
bool ComputesRowsAlone(const LayerConf& conf);

// Returns whether the output has several rows for each example, and its loss judges each of them by
// itself.
bool JudgesRowsAlone(const ModelOutput& output);

// Returns for each layer whether only the given output reads its result, through layers that
// compute rows alone, and whether it is one of these layers itself.
std::vector<bool> RowLayersOf(const ModelConfig& model, const ModelOutput& output);

}  // namespace dl::nn
