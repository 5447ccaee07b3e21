// How an error ends a command: three lines for people, one for scripts.
#pragma once

#include <optional>
#include <string>

#include "base/json_fwd.h"
#include "base/status.h"

namespace dl::cli {

// "error: what\n  at: where\n  try: remedy\n"; parts that are not there are left out.
std::string ErrorForPeople(const Status& status);

// {"type":"result","job":…,"state":null,"exit_code":…,"error":{"code","message","where","remedy"}}:
// the last line of --json when a command ended before there was a result of a job. `job` may be
// empty.
Json ErrorResult(const Status& status, const std::string& job);
// The error of such a line, with its exit code; nullopt where it is no such line.
std::optional<Status> ErrorOfResult(const Json& line);

}  // namespace dl::cli
