// Makes the entries of the audit log for calls (security/audit_log.h). The entries have only `what`
// and `subject`. The handler of the connection sets the other fields.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "rpc/messages.h"
#include "security/audit_log.h"
#include "security/token.h"

namespace dl::rpc {

// Returns the audit entry of a request, or nullopt for requests that are not recorded.
template <typename Request>
std::optional<security::AuditEntry> MakeAuditEntry(std::string_view, const Request&) {
  return std::nullopt;
}
inline std::optional<security::AuditEntry> MakeAuditEntry(std::string_view method,
                                                          const RegisterRequest& request) {
  return security::AuditEntry{.action = std::string(method), .subject = request.executor};
}
// Returns an entry for the download of a checkpoint's part, once for each request for the first
// chunk of the part.
inline std::optional<security::AuditEntry> MakeAuditEntry(std::string_view method,
                                                          const FetchRequest& request) {
  if (method != "FetchCheckpoint" || request.offset != 0) return std::nullopt;
  return security::AuditEntry{.action = std::string(method), .subject = request.sha256};
}
inline std::optional<security::AuditEntry> MakeAuditEntry(std::string_view method,
                                                          const SubmitRequest&) {
  return security::AuditEntry{.action = std::string(method)};
}
inline std::optional<security::AuditEntry> MakeAuditEntry(std::string_view,
                                                          const JobActionRequest& request) {
  return security::AuditEntry{.action = std::string(JobActionName(request.action)),
                              .subject = request.job};
}
inline std::optional<security::AuditEntry> MakeAuditEntry(std::string_view method,
                                                          const DrainRequest& request) {
  return security::AuditEntry{.action = std::string(method), .subject = request.executors};
}
inline std::optional<security::AuditEntry> MakeAuditEntry(std::string_view method,
                                                          const CreateTokenRequest& request) {
  return security::AuditEntry{
      .action = std::string(method),
      .subject = absl::StrCat(request.owner, " (", request.role,
                              request.executor.empty() ? "" : " as ", request.executor, ")")};
}
inline std::optional<security::AuditEntry> MakeAuditEntry(std::string_view method,
                                                          const RevokeTokenRequest& request) {
  return security::AuditEntry{.action = std::string(method), .subject = request.id};
}

// Returns whether requests of this type are administrative if an admin sends them
// (AuditEntry::administrative).
template <typename Request>
constexpr bool IsAdministrative(const Request&) {
  return std::is_same_v<Request, DrainRequest> || std::is_same_v<Request, CreateTokenRequest> ||
         std::is_same_v<Request, RevokeTokenRequest> || std::is_same_v<Request, JobActionRequest>;
}

// Returns the subject of the entry if only the reply contains it: the id of a new job or token.
// Returns "" for other replies.
template <typename Reply>
std::string SubjectFromReply(const Reply&) {
  return "";
}
inline std::string SubjectFromReply(const SubmitReply& reply) { return reply.job; }
inline std::string SubjectFromReply(const CreateTokenReply& reply) {
  const auto token = security::ParseToken(reply.token);
  return token.ok() ? token->id : "";
}

}  // namespace dl::rpc
