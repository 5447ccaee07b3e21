// How much memory the rows of an import may take: `--memory`, else DL_IMPORT_MEMORY, else 1 GiB or
// a quarter of what this process may use, whichever is less.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/status.h"

namespace dl::cli {

// `flag`: 0 when it was not given. UsageError, or an invalid config where the variable says it, for
// less than limits::kMinImportMemoryBytes and for what is no size.
StatusOr<int64_t> ImportMemory(int64_t flag, const std::map<std::string, std::string>& environment);

}  // namespace dl::cli
