#include "rpc/reserved_names.h"

#include "absl/strings/str_cat.h"

namespace dl::rpc {

Status MayRegisterAs(const std::string& executor, const security::Identity& caller,
                     const security::TokenStore* tokens) {
  if (!caller.executor.empty()) {
    if (caller.executor == executor) return absl::OkStatus();
    return Denied(
        {.message = absl::StrCat("this token is only for the executor \"", caller.executor, "\""),
         .remedy = absl::StrCat("Start it with --name ", caller.executor)});
  }
  if (tokens == nullptr || !tokens->IsReserved(executor)) return absl::OkStatus();
  return Denied({.message = absl::StrCat("the name \"", executor,
                                         "\" is reserved: an executor needs the token for it"),
                 .remedy = "Use that token (--token-file), or another --name. An admin frees the "
                           "name by revoking its tokens, expired ones too: dl-submit cluster "
                           "token list, dl-submit cluster token revoke ID"});
}

}  // namespace dl::rpc
