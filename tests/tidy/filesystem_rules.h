// Calls of std::filesystem report errors by a std::error_code: the others throw, and an exception
// ends a process without a sentence for its user.
#pragma once

#include "tests/tidy/source_file.h"

namespace dl::tidy {

Violations CheckFilesystemCalls(const SourceFile& file);

}  // namespace dl::tidy
