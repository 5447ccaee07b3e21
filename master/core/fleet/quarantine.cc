#include "master/core/fleet/quarantine.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "master/core/record_keys.h"
#include "rpc/remedy.h"

namespace dl::master {

Quarantine::Quarantine(StoredQuarantine stored) : known_(std::move(stored.known)) {
  for (const auto& [executor, token] : stored.executors) Add(executor, token);
}

bool Quarantine::Add(const std::string& executor, const std::string& token) {
  if (!executors_.insert(executor).second) return false;
  if (!token.empty()) ++of_token_[token];
  return true;
}

bool Quarantine::Distrusts(const std::string& token) const {
  const auto found = of_token_.find(token);
  return found != of_token_.end() && found->second >= kMostOfToken;
}

void Quarantine::RecordKnown(const std::string& executor, const std::string& token) {
  known_.insert(keys::OfToken(token, executor));
}

Status Quarantine::CheckName(const std::string& executor, const std::string& token) const {
  if (!Distrusts(token) || known_.contains(keys::OfToken(token, executor))) return absl::OkStatus();
  return rpc::AttachRemedy(
      Denied({.message = absl::StrCat(
                  "the token ", token, " accepts no executors with new names, because ",
                  of_token_.at(token), " executors that used it returned wrong results"),
              .where = executor}),
      {.kind = rpc::RemedyKind::kTokenPerMachine});
}

}  // namespace dl::master
