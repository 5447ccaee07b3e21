#include "rpc/caller_rights.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "rpc/reserved_names.h"
#include "security/token.h"

namespace dl::rpc {

void CallerRights::Identify(security::Identity caller, const std::string& instance) {
  caller_ = std::move(caller);
  holder_ = absl::StrCat(caller_.token, " ", caller_.owner, " ", instance);
}

bool CallerRights::MayCall(const Access& access) const {
  return access.Allows(caller_.role) &&
         (caller_.token.empty() || options_.tokens->IsValid(caller_.token));
}

Status CallerRights::CheckSession(uint64_t session) const {
  const std::optional<SessionHolder> opened = options_.find_session(session);
  if (!opened || !security::IsSameSecret(opened->holder, holder_)) {
    return Aborted(
        {.message = "the master does not know this session", .remedy = "Register again."});
  }
  return CheckName(opened->executor);
}

Status CallerRights::CheckName(const std::string& executor) const {
  return MayRegisterAs(executor, caller_, options_.tokens);
}

}  // namespace dl::rpc
