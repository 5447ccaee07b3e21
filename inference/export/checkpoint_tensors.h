// The tensors with which a checkpoint is exported.
#pragma once

#include <vector>

#include "inference/checkpoint_reader.h"
#include "inference/export/tensors.h"

namespace dl::inference {

// Returns the tensors of all parts of the checkpoint in their order. They have no values if the
// parts have none (DescribeCheckpoint). The names of some tensors have a prefix, because other
// parts have the same names: parts of workers, and a model that also has a moving average.
// `checkpoint` must outlive the result.
std::vector<NamedTensor> TensorsOf(const LoadedCheckpoint& checkpoint);

}  // namespace dl::inference
