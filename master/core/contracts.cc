// Under which kernel contract a job is computed, and who offers it.
#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "master/core/core.h"
#include "nn/conf/contract_id.h"

namespace dl::master {

bool Core::IsContractKnown(const Session& session) const {
  return options_.is_known_contract == nullptr ||
         options_.is_known_contract(session.who.contract, session.who.isa);
}

// Its word counts when a job's contract is decided.
bool Core::MayDecideContract(const Session& session, const Job& job) const {
  if (quarantined_.contains(session.who.executor) || session.disconnected_at) return false;
  if (!job.WantedIsa().empty() && session.who.isa != job.WantedIsa()) return false;
  return IsContractKnown(session);
}

// The lowest instruction set that is registered, and of its contracts the one with the most slots;
// not before executors that start together had the time to come. False: not decided yet.
bool Core::BindContract(Job& job) {
  if (!job.record.contract.empty()) return true;
  std::string isa;
  Instant first = Instant::Max();
  std::map<std::string, int64_t> slots;
  for (const auto& [id, session] : sessions_) {
    if (!MayDecideContract(session, job)) continue;
    first = std::min(first, session.joined);
    // Names order as the levels do ("avx2" < "avx512").
    if (!isa.empty() && session.who.isa > isa) continue;
    if (session.who.isa != isa) slots.clear();
    isa = session.who.isa;
    slots[nn::ContractOfJob(session.who.contract, job.definition.last_cache)] += session.who.slots;
  }
  if (slots.empty() || came_ < ContractDecidedAt(first)) return false;
  const auto most = std::max_element(
      slots.begin(), slots.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  job.record.contract = most->first;
  PersistJob(job);
  TellExcluded(job);
  return true;
}

Instant Core::ContractDecidedAt(Instant first) const {
  return std::max(first, began_) + options_.contract_grace;
}

std::string Core::WhyUnbound(const Job& job) const {
  const bool some = std::any_of(sessions_.begin(), sessions_.end(), [&](const auto& entry) {
    return MayDecideContract(entry.second, job);
  });
  if (some) return "executors are coming; its kernel contract is decided in a moment";
  std::string message =
      job.WantedIsa().empty()
          ? "no executor is registered"
          : absl::StrCat("no executor is registered that computes with isa ", job.WantedIsa());
  if (sessions_.empty()) return message;
  const bool refused = std::any_of(sessions_.begin(), sessions_.end(), [&](const auto& entry) {
    return quarantined_.contains(entry.second.who.executor);
  });
  const bool unknown = std::any_of(sessions_.begin(), sessions_.end(), [&](const auto& entry) {
    return !IsContractKnown(entry.second);
  });
  if (refused) message += " and is not quarantined for a wrong result";
  if (unknown) message += " under a kernel contract that this master knows";
  return message;
}

std::string Core::WhyWithoutExecutors(const Job& job) const {
  std::string message = absl::StrCat("no executor offers slots under the job's kernel contract ",
                                     job.record.contract);
  std::set<std::string> others;
  for (const auto& [id, session] : sessions_) {
    const bool counts = IsContractKnown(session) && !quarantined_.contains(session.who.executor);
    if (counts && !nn::OffersContract(session.who.contract, job.record.contract))
      others.insert(session.who.isa);
  }
  if (others.empty()) return message;
  return absl::StrCat(message, "; others compute with isa ", absl::StrJoin(others, " and "),
                      ": to go on with them, cancel it, then dl-submit resume --rebind --isa ",
                      *others.begin(), " ", job.definition.id);
}

// Who is there and gets none of the job's units for want of its contract.
std::vector<std::string> Core::Excluded(const Job& job) const {
  std::vector<std::string> names;
  if (job.record.contract.empty()) return names;
  for (const auto& [id, session] : sessions_) {
    if (!nn::OffersContract(session.who.contract, job.record.contract))
      names.push_back(session.who.executor);
  }
  return names;
}

void Core::TellExcluded(const Job& job) {
  const std::vector<std::string> excluded = Excluded(job);
  if (excluded.empty()) return;
  constexpr size_t kMostNamed = 5;
  const std::vector<std::string> named(
      excluded.begin(),
      excluded.begin() + static_cast<int64_t>(std::min(excluded.size(), kMostNamed)));
  EmitEvent(
      job, {{"type", "warning"},
            {"message",
             absl::StrCat(excluded.size(), excluded.size() == 1 ? " executor is" : " executors are",
                          " registered under another kernel contract than the job's, ",
                          job.record.contract, ", and get no units of it: ",
                          absl::StrJoin(named, ", "), excluded.size() > kMostNamed ? ", ..." : "",
                          "; training.isa chooses another one")}});
}

rpc::SubmitReply Core::Submitted(const Job& job) const {
  rpc::SubmitReply reply{.job = job.definition.id, .contract = job.record.contract};
  if (job.record.contract.empty()) return reply;
  reply.excluded = static_cast<int32_t>(Excluded(job).size());
  reply.executors = static_cast<int32_t>(sessions_.size()) - reply.excluded;
  return reply;
}

}  // namespace dl::master
