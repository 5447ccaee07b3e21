// Makes errors about a file of a dataset. The message says what is wrong and does not name the
// path. The place begins with the path. A remedy is always given.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace dl::dataset {

// Remedy for bytes that no program writes in this way.
inline constexpr std::string_view kFetchAgain =
    "Fetch or write the file again; it is cut, damaged or of another format";

// Returns NotFound: no file exists at `path`.
Status NoSuchFile(const std::string& path);

// Returns `status`, which names no file, as an error about `path`. Adds `remedy` if the error has
// none. REQUIRES: `remedy` is not empty, unless `status` has a remedy.
Status AboutFile(const Status& status, const std::string& path, std::string_view remedy);

}  // namespace dl::dataset
