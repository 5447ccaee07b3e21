// Errors about a dataset's file: the message says what is wrong, the place begins with the path
// (which the message leaves out), and the remedy is never empty.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace dl::dataset {

// "Fetch the file again, ...": for bytes that nobody wrote so.
inline constexpr std::string_view kFetchAgain =
    "Fetch or write the file again; it is cut, damaged or of another format";

// There is nothing at `path`.
Status NoSuchFile(const std::string& path);

// An error that knows no file, as one about `path`, with `remedy` unless it has its own.
Status AboutFile(const Status& status, const std::string& path, std::string_view remedy);

}  // namespace dl::dataset
