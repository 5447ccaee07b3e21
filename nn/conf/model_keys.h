// All keys of a model document (nn/conf/model_json.h). Most are generated from the fields of its
// types.
#pragma once

#include <vector>

#include "nn/conf/key_row.h"

namespace dl::nn {

// Returns the rows in the order of docs/job-spec.md. Paths are relative to the document that holds
// the model: "model.l2".
std::vector<KeyRow> ModelKeys();

}  // namespace dl::nn
