// Formats the error with which a command ends: three lines of text, or one line of JSON.
#pragma once

#include <optional>
#include <string>

#include "base/json_fwd.h"
#include "base/status.h"

namespace dl::cli {

// Returns "error: what\n  at: where\n  try: remedy\n". Missing parts are left out. For an error
// that is a bug of Paravane, a last line asks for a report.
std::string FormatError(const Status& status);

// Returns
// {"type":"result","job":…,"state":null,"exit_code":…,"error":{"code","message","where","remedy"}}.
// If the master proposed a remedy, "error" also has the member "action" with this remedy as data.
// The object is the last line of --json if a command ended without a result of a job. `job` may be
// empty.
Json ErrorResult(const Status& status, const std::string& job);
// Returns the error of such a line, with its exit code; nullopt if the line is another object.
std::optional<Status> ErrorOfResult(const Json& line);

}  // namespace dl::cli
