#include "base/system_error.h"

#include <sys/resource.h>

#include <cerrno>
#include <system_error>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace dl {
namespace {

constexpr char kErrnoUrl[] = "paravane/errno";

absl::StatusCode CodeOf(int error) {
  switch (error) {
    case ENOENT:
    case ESRCH:
      return absl::StatusCode::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::StatusCode::kPermissionDenied;
    case ENOSPC:
    case EDQUOT:
      return absl::StatusCode::kResourceExhausted;
    case EIO:
      return absl::StatusCode::kDataLoss;
    case EEXIST:
      return absl::StatusCode::kAlreadyExists;
    case EAGAIN:
    case EBUSY:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return absl::StatusCode::kUnavailable;
    default:
      return absl::StatusCode::kFailedPrecondition;
  }
}

// Returns the limit of this process to which the error is due, as " (ulimit -n of 64)", or "".
std::string LimitOf(int error) {
  rlimit limit{};
  if (error == EMFILE && getrlimit(RLIMIT_NOFILE, &limit) == 0)
    return absl::StrCat(" (ulimit -n of ", limit.rlim_cur, ")");
  if (error == EFBIG && getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    return absl::StrCat(" (ulimit -f of ", limit.rlim_cur >> 10, " KiB)");
  return "";
}

std::string_view RemedyOf(int error) {
  switch (error) {
    case ENOENT:
      return "Check the path; a relative path starts at the working folder of the command";
    case ENOTDIR:
      return "Check the path: a part of it that should be a folder is a file";
    case EISDIR:
      return "Give the path of a file: this is a folder";
    case ELOOP:
    case ENAMETOOLONG:
    case EINVAL:
    case ENXIO:
      return "Give another path";
    case EACCES:
    case EPERM:
      return "Give this user the right to it, or another path";
    case EROFS:
      return "Give a path on a file system that can be written to";
    case EEXIST:
      return "Give another path, or move away what is there";
    case ENOSPC:
    case EDQUOT:
      return "Make room, or give a path on another disk";
    case ENOMEM:
      return "Give it more memory, or stop what else needs it";
    case EFBIG:
      return "Raise the limit of the size of files (ulimit -f), or give a path on a file system "
             "that allows larger ones";
    case EMFILE:
      return "Raise the limit of open files (ulimit -n)";
    case ENFILE:
      return "Raise the machine's limit of open files (sysctl fs.file-max)";
    case EIO:
      return "Check the disk; the system's log says more";
    case EPIPE:
      return "Let who reads it read to the end";
    case EAGAIN:
    case EBUSY:
      return "Try again later";
    default:
      return "";
  }
}

Status Make(absl::StatusCode code, int error, std::string_view action, std::string where,
            std::string_view remedy) {
  Status status = MakeError(
      code, {.message = absl::StrCat("cannot ", std::string(action), ": ",
                                     std::generic_category().message(error), LimitOf(error)),
             .where = std::move(where),
             .remedy = std::string(remedy)});
  status.SetPayload(kErrnoUrl, absl::Cord(absl::StrCat(error)));
  return status;
}

}  // namespace

Status SystemError(int error, std::string_view action, std::string where) {
  return Make(CodeOf(error), error, action, std::move(where), RemedyOf(error));
}

Status CreationError(int error, std::string_view action, std::string where) {
  if (error != ENOENT) return SystemError(error, action, std::move(where));
  return Make(absl::StatusCode::kFailedPrecondition, error, action, std::move(where),
              "Give another path, or create its parent folder first");
}

bool IsShortage(const Status& status) {
  const int error = SystemErrorNumber(status);
  return error == EMFILE || error == ENFILE || error == ENOMEM;
}

int SystemErrorNumber(const Status& status) {
  const auto payload = status.GetPayload(kErrnoUrl);
  int error = 0;
  return payload && absl::SimpleAtoi(std::string(*payload), &error) ? error : 0;
}

}  // namespace dl
