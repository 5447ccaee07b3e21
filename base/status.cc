#include "base/status.h"

#include <cstdio>
#include <cstdlib>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "base/sentences.h"

namespace dl {
namespace {

constexpr char kWhereUrl[] = "paravane/where";
constexpr char kRemedyUrl[] = "paravane/remedy";

struct CodeName {
  absl::StatusCode code;
  std::string_view name;
};
constexpr CodeName kCodeNames[] = {
    {absl::StatusCode::kOk, "ok"},
    {absl::StatusCode::kCancelled, "cancelled"},
    {absl::StatusCode::kUnknown, "unknown"},
    {absl::StatusCode::kInvalidArgument, "invalid_argument"},
    {absl::StatusCode::kDeadlineExceeded, "deadline_exceeded"},
    {absl::StatusCode::kNotFound, "not_found"},
    {absl::StatusCode::kAlreadyExists, "already_exists"},
    {absl::StatusCode::kPermissionDenied, "permission_denied"},
    {absl::StatusCode::kResourceExhausted, "resource_exhausted"},
    {absl::StatusCode::kFailedPrecondition, "failed_precondition"},
    {absl::StatusCode::kAborted, "aborted"},
    {absl::StatusCode::kOutOfRange, "out_of_range"},
    {absl::StatusCode::kUnimplemented, "unimplemented"},
    {absl::StatusCode::kInternal, "internal"},
    {absl::StatusCode::kUnavailable, "unavailable"},
    {absl::StatusCode::kDataLoss, "data_loss"},
    {absl::StatusCode::kUnauthenticated, "unauthenticated"},
};

std::string PayloadText(const Status& status, const char* url) {
  auto payload = status.GetPayload(url);
  return payload ? std::string(*payload) : std::string();
}

}  // namespace

Status MakeError(absl::StatusCode code, ErrorText text) {
  Status status(code, text.message);
  if (!text.where.empty()) status.SetPayload(kWhereUrl, absl::Cord(text.where));
  if (!text.remedy.empty()) status.SetPayload(kRemedyUrl, absl::Cord(text.remedy));
  return status;
}

Status InvalidArgument(ErrorText t) {
  return MakeError(absl::StatusCode::kInvalidArgument, std::move(t));
}
Status NotFound(ErrorText t) { return MakeError(absl::StatusCode::kNotFound, std::move(t)); }
Status FailedPrecondition(ErrorText t) {
  return MakeError(absl::StatusCode::kFailedPrecondition, std::move(t));
}
Status DataLoss(ErrorText t) { return MakeError(absl::StatusCode::kDataLoss, std::move(t)); }
Status Unavailable(ErrorText t) { return MakeError(absl::StatusCode::kUnavailable, std::move(t)); }
Status ResourceExhausted(ErrorText t) {
  return MakeError(absl::StatusCode::kResourceExhausted, std::move(t));
}
Status DeadlineExceeded(ErrorText t) {
  return MakeError(absl::StatusCode::kDeadlineExceeded, std::move(t));
}
Status Internal(ErrorText t) {
  if (t.remedy.empty()) t.remedy = "Please report this as a bug of Paravane, with the log";
  return MakeError(absl::StatusCode::kInternal, std::move(t));
}
Status Aborted(ErrorText t) { return MakeError(absl::StatusCode::kAborted, std::move(t)); }
Status Cancelled(ErrorText t) { return MakeError(absl::StatusCode::kCancelled, std::move(t)); }
Status Denied(ErrorText t) { return MakeError(absl::StatusCode::kUnauthenticated, std::move(t)); }
Status VersionMismatch(ErrorText t) {
  return MakeError(absl::StatusCode::kUnimplemented, std::move(t));
}

std::string ErrorWhere(const Status& status) { return PayloadText(status, kWhereUrl); }
std::string ErrorRemedy(const Status& status) { return PayloadText(status, kRemedyUrl); }

Status WithContext(const Status& status, std::string_view context) {
  if (status.ok()) return status;
  Status out(status.code(), absl::StrCat(std::string(context), ": ", status.message()));
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord& value) { out.SetPayload(url, value); });
  return out;
}

Status WithRemedy(const Status& status, std::string_view remedy) {
  Status out = status;
  if (!status.ok()) out.SetPayload(kRemedyUrl, absl::Cord(std::string(remedy)));
  return out;
}

std::string DescribeError(const Status& status) {
  std::string out(status.message());
  if (auto where = ErrorWhere(status); !where.empty()) out += " (at " + where + ")";
  return JoinSentences(out, ErrorRemedy(status));
}

std::string_view ErrorCodeName(absl::StatusCode code) {
  for (const CodeName& entry : kCodeNames) {
    if (entry.code == code) return entry.name;
  }
  return "unknown";
}

absl::StatusCode ErrorCodeFromName(std::string_view name) {
  for (const CodeName& entry : kCodeNames) {
    if (entry.name == name) return entry.code;
  }
  return absl::StatusCode::kUnknown;
}

namespace internal {
void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: check failed: %s (a bug of Paravane)\n", file, line, condition);
  std::abort();
}
}  // namespace internal
}  // namespace dl
