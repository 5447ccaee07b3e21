// The tensors with which a checkpoint is exported.
#pragma once

#include <vector>

#include "inference/checkpoint_reader.h"
#include "inference/export/tensors.h"

namespace dl::inference {

// Returns the tensors of checkpoint.parts, part by part, in the order of the segments of each part.
// They have no values if the checkpoint comes from DescribeCheckpoint. A tensor has the name of its
// segment. Tensors of some parts have the prefix "KEY/" (LoadedCheckpoint::Part::key), because
// another part has segments of the same names. These are the parts of workers. If the job has a
// moving average of the model, the model also has a prefix, and the moving average has none. The
// values are those of `checkpoint`, which must outlive the result.
std::vector<NamedTensor> TensorsOf(const LoadedCheckpoint& checkpoint);

}  // namespace dl::inference
