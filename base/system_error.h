// What the operating system answers, as an error of ours.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace dl {

// `error` is an errno value. The message is "cannot <action>: <text of the error>", `where` the
// path or peer; the remedy is that of the errno. Not found, permission, no space
// (ResourceExhausted), device errors (DataLoss) and "try again" (Unavailable; a shortage is one)
// keep codes of their own; the rest is FailedPrecondition.
Status SystemError(int error, std::string_view action, std::string where);

// The same where something is made: that a folder above it is missing is FailedPrecondition, since
// nobody looked for what was to be made.
Status CannotMake(int error, std::string_view action, std::string where);

// Whether this process or the machine lacked files or memory: it may have some a moment later, and
// what was asked for is as it was. Unavailable.
bool IsShortage(const Status& status);

// The errno that a status was made of, 0 when it was not. WithContext keeps it.
int SystemErrorNumber(const Status& status);

}  // namespace dl
