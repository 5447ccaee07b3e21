// Errors as values. A status carries a code (the caller's reaction), a message (what happened), and
// optionally where it happened and what to do next; the command line and JSON print all of them.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dl {

using absl::Status;
using absl::StatusOr;

// What went wrong, in the parts that every error of the system has. `where` names a job, worker,
// executor, file, layer or key path; `remedy` is one imperative sentence. Empty parts are left out.
struct ErrorText {
  std::string message = {};
  std::string where = {};
  std::string remedy = {};
};

Status MakeError(absl::StatusCode code, ErrorText text);

// Shorthands for the codes that the system uses; each code has one reaction of the caller.
Status InvalidArgument(ErrorText text);     // the input is wrong: fix it (exit 78, 65 or 2)
Status NotFound(ErrorText text);            // no such job, checkpoint, file (exit 4)
Status FailedPrecondition(ErrorText text);  // not possible in this state
Status DataLoss(ErrorText text);            // stored or received bytes are damaged
Status Unavailable(ErrorText text);         // try again later
Status ResourceExhausted(ErrorText text);   // a limit of base/limits.h was hit
Status DeadlineExceeded(ErrorText text);
Status Internal(ErrorText text);  // our bug (exit 70)
Status Aborted(ErrorText text);   // fenced: an old term, session or lease
Status Cancelled(ErrorText text);
// Who asks may not: no token, a wrong one, another's job (exit 77). The code is Unauthenticated:
// the system's own refusals of files are PermissionDenied.
Status Denied(ErrorText text);
// The peer, or what is stored, is of a version or a protocol that this program does not speak (exit
// 76). The code is Unimplemented.
Status VersionMismatch(ErrorText text);

std::string ErrorWhere(const Status& status);  // empty when none was given
std::string ErrorRemedy(const Status& status);

// The same error with `context` in front of its message ("while reading block 3: ..."); payloads
// stay.
Status WithContext(const Status& status, std::string_view context);
// The same error with another remedy; other payloads stay.
Status WithRemedy(const Status& status, std::string_view remedy);

// One line for people: message, then "(at WHERE)", then the remedy.
std::string DescribeError(const Status& status);

// The code as documented words: "invalid_argument", "data_loss", ...; the JSON's error.code.
std::string_view ErrorCodeName(absl::StatusCode code);
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

// For our own bugs only: nothing that a peer, a file or a user sends can reach one.
#define DL_CHECK(condition) \
  ((condition) ? (void)0 : ::dl::internal::CheckFailed(#condition, __FILE__, __LINE__))

namespace dl::internal {
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);
}  // namespace dl::internal
