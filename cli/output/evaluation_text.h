// Formats the report of an evaluation as text for 80 columns. Long names of jobs, classes or output
// layers can make a line longer.
#pragma once

#include <string>

#include "base/json_fwd.h"

namespace dl::cli {

// Formats the report that `evaluate --json` prints. The text ends with a line break.
std::string EvaluationText(const Json& report);

}  // namespace dl::cli
