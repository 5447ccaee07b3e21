#include "web/caller_share.h"

#include "absl/strings/str_cat.h"
#include "rpc/peer_network.h"

namespace dl::web {

std::string MemoryShareOf(const security::Identity& caller, const std::string& peer) {
  if (!caller.token.empty()) return absl::StrCat("token ", caller.token);
  if (!caller.owner.empty()) return absl::StrCat("owner ", caller.owner);
  return absl::StrCat("network ", rpc::NetworkOf(peer));
}

}  // namespace dl::web
