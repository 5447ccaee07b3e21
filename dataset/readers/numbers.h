// Numbers in text.
#pragma once

#include <string>

#include "base/status.h"

namespace dl::dataset {

// A finite float32, read without locale. InvalidArgument says what else it is and what to do, the
// place is the caller's.
StatusOr<float> FloatOf(const std::string& text);

}  // namespace dl::dataset
