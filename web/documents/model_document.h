// The model of a job as its page shows it.
#pragma once

#include <string_view>

#include "base/json_fwd.h"
#include "base/status.h"

namespace dl::web {

// Returns {"name","all_parameters","all_flops","layers"}. "all_flops" are those of the forward step
// of one example. "layers" is in the order of the model, inputs first: [{"name","type","output",
// "parameters","flops","parameters_of"}]. Members without a meaning for a layer are absent.
// "parameters_of" is the name of the layer whose parameters this layer shares. "output" is a text
// such as "20 × 24 × 24". `spec` is the text of a job spec. Errors are those of job::JobFromText.
StatusOr<Json> ModelDocument(std::string_view spec);

}  // namespace dl::web
