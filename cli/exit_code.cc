#include "cli/exit_code.h"

#include <cerrno>
#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/system_error.h"

namespace dl::cli {
namespace {

constexpr char kExitCodeUrl[] = "paravane/exit_code";

bool Mentions(const Status& status, std::string_view text) {
  return std::string(status.message()).find(text) != std::string::npos;
}

// Maps errors of the system. A missing file is "not found", temporary conditions are "try again",
// and all other errors of files and folders are input/output errors.
int ExitCodeForSystem(int error, const Status& status) {
  if (absl::IsNotFound(status)) return kNotFound;
  switch (error) {
    case EAGAIN:
    case EBUSY:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return kTryAgain;
    default:
      return kInputOutput;
  }
}

}  // namespace

int ExitCodeFor(const Status& status) {
  if (status.ok()) return kSuccess;
  int code = 0;
  if (auto payload = status.GetPayload(kExitCodeUrl);
      payload && absl::SimpleAtoi(std::string(*payload), &code)) {
    return code;
  }
  if (const int error = SystemErrorNumber(status); error != 0)
    return ExitCodeForSystem(error, status);
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
      return kInvalidConfig;
    case absl::StatusCode::kNotFound:
      return kNotFound;
    case absl::StatusCode::kDataLoss:
      return kBadData;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return kUnreachable;
    case absl::StatusCode::kCancelled:
      return kCancelled;
    case absl::StatusCode::kUnauthenticated:
      return kAuthentication;
    case absl::StatusCode::kUnimplemented:
      return kVersionMismatch;
    // Errors of the system (base/system_error.h): a file may not be written, or exists already.
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kAlreadyExists:
      return kInputOutput;
    case absl::StatusCode::kResourceExhausted:
      return Mentions(status, "free space") || Mentions(status, "No space left") ? kInputOutput
                                                                                 : kTryAgain;
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAborted:
      return kTryAgain;
    default:
      return kInternalError;
  }
}

int ExitCodeForState(std::string_view state) {
  if (state == "SUCCEEDED") return kSuccess;
  if (state == "CANCELLED") return kCancelled;
  if (state == "REJECTED") return kInvalidConfig;
  return kFailed;
}

Status WithExitCode(const Status& status, int code) {
  if (status.ok() || status.GetPayload(kExitCodeUrl)) return status;
  Status out = status;
  out.SetPayload(kExitCodeUrl, absl::Cord(absl::StrCat(code)));
  return out;
}

Status AsDataError(const Status& status) {
  const bool of_the_data =
      absl::IsNotFound(status) || absl::IsInvalidArgument(status) || absl::IsOutOfRange(status);
  return of_the_data ? WithExitCode(status, kBadData) : status;
}

Status AsFlagError(const Status& status, std::string_view flag) {
  if (!absl::IsInvalidArgument(status)) return status;
  return UsageError({.message = std::string(status.message()),
                     .where = std::string(flag),
                     .remedy = ErrorRemedy(status)});
}

Status UsageError(ErrorText text) { return WithExitCode(InvalidArgument(std::move(text)), kUsage); }

}  // namespace dl::cli
