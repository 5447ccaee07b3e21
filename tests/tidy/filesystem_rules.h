// Checks that calls of std::filesystem report errors by a std::error_code. The other overloads
// throw, and an exception ends a process without an error message for the user.
#pragma once

#include "tests/tidy/checked_file.h"

namespace dl::tidy {

Violations CheckFilesystemCalls(const SourceFile& file);

}  // namespace dl::tidy
