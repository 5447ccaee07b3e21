// The weights of examples in the loss, as a reader finds them in a source.
#pragma once

#include <string>

#include "base/status.h"
#include "dataset/example_table.h"

namespace dl::dataset {

// Returns a float32 from the text of a weight. InvalidArgument, without a place, for a text that is
// no finite number of at least 0.
StatusOr<float> WeightOf(const std::string& text);

// InvalidArgument, without a place, if all weights of the table are 0. REQUIRES: it has weights.
Status CheckSomeWeight(const ExampleTable& table);

// Divides the weights by the mean weight of the training set, so that a learning rate means the
// same with weights and without; the schema keeps the mean. `training` is null for the training set
// itself. InvalidArgument, without a place, for quotients that float32 does not hold. A table
// without weights stays as it is. REQUIRES: `training` has weights if the table has.
Status ScaleWeights(const Schema* training, ExampleTable& table);

}  // namespace dl::dataset
