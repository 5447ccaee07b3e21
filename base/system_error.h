// What the operating system answers, as an error of ours.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace dl {

// `error` is an errno value. The message is "cannot <action>: <text of the error>", `where` the
// path or peer. Not found, permission, no space (ResourceExhausted), device errors (DataLoss) and
// "try again" keep codes of their own; the rest is FailedPrecondition.
Status SystemError(int error, std::string_view action, std::string where);

}  // namespace dl
