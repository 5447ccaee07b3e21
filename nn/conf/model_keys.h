// All keys of a model document (nn/conf/model_json.h), as its types describe them.
#pragma once

#include <vector>

#include "nn/conf/key_row.h"

namespace dl::nn {

// In the order of docs/job-spec.md, with paths from the document that holds the model: "model.l2".
std::vector<KeyRow> ModelKeys();

}  // namespace dl::nn
