// Parses, checks and scales the weights that examples have in the loss.
#pragma once

#include <string_view>

#include "base/status.h"
#include "dataset/example_table.h"

namespace dl::dataset {

// Returns the float32 of a weight's text. Returns InvalidArgument, without a place, if the text is
// not a finite number of at least 0.
StatusOr<float> WeightOf(std::string_view text);

// Returns InvalidArgument, without a place, if all weights of the table are 0. REQUIRES: the table
// has weights.
Status CheckSomeWeight(const ExampleTable& table);

// Divides the weights by the mean weight of the training set and stores the mean in the schema. The
// mean weight is then 1, so a learning rate needs no change because of weights. `training` is null
// for the training set itself. Does nothing for a table without weights. Returns InvalidArgument,
// without a place, if a quotient exceeds float32. REQUIRES: `training` has weights if the table
// has.
Status ScaleWeights(const Schema* training, ExampleTable& table);

}  // namespace dl::dataset
