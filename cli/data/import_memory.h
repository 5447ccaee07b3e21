// Memory for the rows of an import: `--memory`, else DL_IMPORT_MEMORY, else 1 GiB or a quarter of
// the memory that this process may use, whichever is less, but at least
// limits::kMinImportMemoryBytes.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/status.h"

namespace dl::cli {

// Returns the number of bytes. `flag` is 0 if the flag was not given. A value below
// limits::kMinImportMemoryBytes is an error: UsageError for the flag, InvalidArgument for the
// variable. InvalidArgument also for a variable that is not a size.
StatusOr<int64_t> ImportMemory(int64_t flag, const std::map<std::string, std::string>& environment);

}  // namespace dl::cli
