// Errors as values. A status has a code (how the caller reacts), a message (what happened), and
// optionally where it happened and what to do next. JSON shows all of them. The command line prints
// all but the code, on which the exit code depends.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dl {

using absl::Status;
using absl::StatusOr;

// The parts of every error. `where` names a job, worker, executor, file, layer or key path.
// `remedy` tells the user what to do, in the imperative. Empty parts are omitted.
struct ErrorText {
  std::string message = {};
  std::string where = {};
  std::string remedy = {};
};

// REQUIRES: `code` is not OK.
Status MakeError(absl::StatusCode code, ErrorText text);

// Shorthands for the codes that the system uses. The code decides how the caller reacts. Exit codes
// are those of dl-submit (cli/exit_code.h).
Status InvalidArgument(ErrorText text);     // the input is wrong: fix it (exit 78, 65 or 2)
Status NotFound(ErrorText text);            // no such job, checkpoint, file (exit 4)
Status FailedPrecondition(ErrorText text);  // not possible in this state
Status DataLoss(ErrorText text);            // stored or received bytes are damaged
Status Unavailable(ErrorText text);         // try again later
Status ResourceExhausted(ErrorText text);   // a limit was hit, or a disk is full
Status DeadlineExceeded(ErrorText text);    // the caller's deadline passed
// A bug, or a state that cannot be handled (exit 70). If `text` has no remedy, the remedy is to
// report the bug.
Status Internal(ErrorText text);
Status Aborted(ErrorText text);    // an old term, session or lease is over
Status Cancelled(ErrorText text);  // the caller ended the call or closed its client
// The caller is not allowed to do this: it has no token, a wrong token, or the job has another
// owner (exit 77). The code is Unauthenticated, because PermissionDenied is used when the operating
// system refuses access to a file.
Status Denied(ErrorText text);
// The peer or stored data has a version or protocol that this program does not support (exit 76).
// The code is Unimplemented.
Status VersionMismatch(ErrorText text);

// Return ErrorText::where and ErrorText::remedy; "" if none was given.
std::string ErrorWhere(const Status& status);
std::string ErrorRemedy(const Status& status);

// Returns the same error with `context` before its message ("while reading block 3: ..."). Other
// parts are kept. Returns OK for OK.
Status WithContext(const Status& status, std::string_view context);
// Returns the same error with another remedy. Other parts are kept. Returns OK for OK.
Status WithRemedy(const Status& status, std::string_view remedy);

// Returns the text for display: message, then "(at WHERE)", then the remedy. It is one line, unless
// the message has several lines, as the errors of JsonObjectReader::Finish.
std::string DescribeError(const Status& status);

// Returns the code as a documented word: "invalid_argument", "data_loss", ... Used as error.code in
// JSON.
std::string_view ErrorCodeName(absl::StatusCode code);
// The reverse of ErrorCodeName. Returns kUnknown for other words.
absl::StatusCode ErrorCodeFromName(std::string_view name);

}  // namespace dl

#define DL_CONCAT_INNER_(a, b) a##b
#define DL_CONCAT_(a, b) DL_CONCAT_INNER_(a, b)

#define DL_RETURN_IF_ERROR(expr)                                                 \
  do {                                                                           \
    if (::absl::Status dl_status_ = (expr); !dl_status_.ok()) return dl_status_; \
  } while (false)

#define DL_ASSIGN_OR_RETURN(lhs, expr) DL_ASSIGN_OR_RETURN_(DL_CONCAT_(dl_or_, __LINE__), lhs, expr)
#define DL_ASSIGN_OR_RETURN_(tmp, lhs, expr)     \
  auto tmp = (expr);                             \
  if (!tmp.ok()) return std::move(tmp).status(); \
  lhs = *std::move(tmp)

// Prints the condition and aborts the process if it is false, in every build. Only for bugs: data
// from a peer, a file or a user must not be able to make a check fail.
#define DL_CHECK(condition) \
  ((condition) ? (void)0 : ::dl::internal::CheckFailed(#condition, __FILE__, __LINE__))

namespace dl::internal {
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);
}  // namespace dl::internal
