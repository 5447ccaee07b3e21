// Formats the report of an evaluation as text of at most 80 columns.
#pragma once

#include <string>

#include "base/json_fwd.h"

namespace dl::cli {

// Formats the report that evaluate --json prints.
std::string EvaluationText(const Json& report);

}  // namespace dl::cli
