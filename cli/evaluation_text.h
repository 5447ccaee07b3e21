// What evaluate found of a checkpoint, as people read it: within 80 columns.
#pragma once

#include <string>

#include "base/json_fwd.h"

namespace dl::cli {

// Of the report that evaluate --json prints.
std::string EvaluationText(const Json& report);

}  // namespace dl::cli
