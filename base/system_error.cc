#include "base/system_error.h"

#include <cerrno>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace dl {
namespace {

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
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return absl::StatusCode::kResourceExhausted;
    case EIO:
      return absl::StatusCode::kDataLoss;
    case EEXIST:
      return absl::StatusCode::kAlreadyExists;
    case EAGAIN:
    case EBUSY:
      return absl::StatusCode::kUnavailable;
    default:
      return absl::StatusCode::kFailedPrecondition;
  }
}

}  // namespace

Status SystemError(int error, std::string_view action, std::string where) {
  return MakeError(CodeOf(error), {.message = absl::StrCat("cannot ", std::string(action), ": ",
                                                           std::generic_category().message(error)),
                                   .where = std::move(where)});
}

}  // namespace dl
