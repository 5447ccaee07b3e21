// Layers that compute each row of a sequence by itself. After the last layer that mixes rows,
// training needs only the rows that count in the loss (nn/layers/counted_rows_only.h).
#pragma once

#include <cstddef>
#include <vector>

#include "nn/conf/model_config.h"
#include "nn/conf/model_outputs.h"

namespace dl::nn {

// Returns true only if row r of the layer's output depends only on row r of each input and on
// parameters, for inputs that are vectors or sequences. Returns false for layers that draw random
// numbers, because these depend on the index of the row. Also returns false for layer types that
// the function does not list, for example embedding, although its rows do not depend on each other.
bool ComputesRowsAlone(const LayerConf& conf);

// Returns whether the output has several rows for each example, and its loss judges each of them by
// itself.
bool JudgesRowsAlone(const ModelOutput& output);

// Returns an entry for each layer. An entry is true if the layer computes rows alone, and only the
// given output reads its result, directly or through other layers with true. The output's own layer
// has true if it computes rows alone. REQUIRES: `output` is one of OutputsOf(model).
std::vector<bool> RowLayersOf(const ModelConfig& model, const ModelOutput& output);

}  // namespace dl::nn
