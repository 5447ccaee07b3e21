// Formats the report of an evaluation as text for 80 columns. Long names of classes can make a line
// longer.
#pragma once

#include <string>

#include "base/json_fwd.h"

namespace dl::cli {

// Formats the report that evaluate --json prints.
std::string EvaluationText(const Json& report);

}  // namespace dl::cli
