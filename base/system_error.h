// Converts errors of the operating system to Status.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace dl {

// Converts an errno value. The message is "cannot <action>: <text of the error>", with the limit of
// the process that caused the error, if it is known. `where` is the path or peer, and the remedy
// depends on the errno. The codes are:
//
//   NotFound            ENOENT, ESRCH
//   PermissionDenied    EACCES, EPERM, EROFS
//   ResourceExhausted   ENOSPC, EDQUOT
//   DataLoss            EIO
//   AlreadyExists       EEXIST
//   Unavailable         EAGAIN, EBUSY, ENOMEM, EMFILE, ENFILE
//   FailedPrecondition  all others
Status SystemError(int error, std::string_view action, std::string where);

// Works like SystemError, for creating something. A missing parent folder is FailedPrecondition
// instead of NotFound, because the caller did not look for the thing that it creates.
Status CreationError(int error, std::string_view action, std::string where);

// Returns true if this process or the machine lacked open files or memory. A later attempt may
// succeed, and nothing was changed. The code is Unavailable.
bool IsShortage(const Status& status);

// Returns the errno that the status was made from, or 0. WithContext keeps it.
int SystemErrorNumber(const Status& status);

}  // namespace dl
