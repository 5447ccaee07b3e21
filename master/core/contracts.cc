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

bool Core::OffersWhatIsAsked(const Session& session, const Job& job) const {
  if (quarantined_.contains(session.who.executor) || session.disconnected_at) return false;
  if (!job.WantedIsa().empty() && session.who.isa != job.WantedIsa()) return false;
  return IsContractKnown(session);
}

// Its word counts when a job's contract is decided.
bool Core::MayDecideContract(const Session& session, const Job& job) const {
  return OffersWhatIsAsked(session, job) && Holds(session, job);
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

Core::Lack Core::WhyUnbound(const Job& job) const {
  const bool some = std::any_of(sessions_.begin(), sessions_.end(), [&](const auto& entry) {
    return MayDecideContract(entry.second, job);
  });
  Lack lack{Reason::kWaitingForExecutors,
            "executors are coming; its kernel contract is decided in a moment"};
  if (some) return lack;
  if (const TooSmall executors = TooSmallFor(job); !executors.names.empty())
    return {Reason::kWaitingForLargerExecutors, WhyTooSmall(job, executors)};
  std::string& message = lack.message;
  message =
      job.WantedIsa().empty()
          ? "no executor is registered"
          : absl::StrCat("no executor is registered that computes with isa ", job.WantedIsa());
  if (sessions_.empty()) return lack;
  const bool refused = std::any_of(sessions_.begin(), sessions_.end(), [&](const auto& entry) {
    return quarantined_.contains(entry.second.who.executor);
  });
  const bool unknown = std::any_of(sessions_.begin(), sessions_.end(), [&](const auto& entry) {
    return !IsContractKnown(entry.second);
  });
  if (refused) message += " and is not quarantined for a wrong result";
  if (unknown) message += " under a kernel contract that this master knows";
  return lack;
}

Core::Lack Core::WhyWithoutExecutors(const Job& job) const {
  if (const TooSmall executors = TooSmallFor(job); !executors.names.empty())
    return {Reason::kWaitingForLargerExecutors, WhyTooSmall(job, executors)};
  const std::string message = absl::StrCat(
      "no executor offers slots under the job's kernel contract ", job.record.contract);
  std::set<std::string> others;
  for (const auto& [id, session] : sessions_) {
    const bool counts = IsContractKnown(session) && !quarantined_.contains(session.who.executor);
    if (counts && !nn::OffersContract(session.who.contract, job.record.contract))
      others.insert(session.who.isa);
  }
  if (others.empty()) return {Reason::kWaitingForExecutors, message};
  return {Reason::kWaitingForExecutors,
          absl::StrCat(message, "; others compute with isa ", absl::StrJoin(others, " and "),
                       ": to go on with them, cancel it, then dl-submit resume --rebind --isa ",
                       *others.begin(), " ", job.definition.id)};
}

// Who is there and gets none of the job's units.
Excluded Core::ExcludedFrom(const Job& job) const {
  Excluded excluded{.for_memory = TooSmallFor(job).names};
  if (job.record.contract.empty()) return excluded;
  for (const auto& [id, session] : sessions_) {
    if (!nn::OffersContract(session.who.contract, job.record.contract))
      excluded.for_contract.push_back(session.who.executor);
  }
  return excluded;
}

// Some get none of them. That all do is the reason that it waits for.
void Core::TellExcluded(const Job& job) {
  const auto tell = [&](const std::vector<std::string>& executors, const std::string& why,
                        const std::string& remedy) {
    if (executors.empty()) return;
    constexpr size_t kMostNamed = 5;
    const std::vector<std::string> named(
        executors.begin(),
        executors.begin() + static_cast<int64_t>(std::min(executors.size(), kMostNamed)));
    EmitEvent(job,
              {{"type", "warning"},
               {"message", absl::StrCat(executors.size(),
                                        executors.size() == 1 ? " executor is" : " executors are",
                                        " registered ", why,
                                        ", and get no units of it: ", absl::StrJoin(named, ", "),
                                        executors.size() > kMostNamed ? ", ..." : "", remedy)}});
  };
  const Excluded excluded = ExcludedFrom(job);
  tell(excluded.for_contract,
       absl::StrCat("under another kernel contract than the job's, ", job.record.contract),
       "; training.isa chooses another one");
  const int64_t mebibytes = (job.definition.unit_bytes >> 20) + 1;
  tell(excluded.for_memory,
       absl::StrCat("without the ", mebibytes, " MiB of memory that a unit of the job takes"),
       absl::StrCat("; a unit fits from --memory ", 2 * mebibytes, "M on"));
}

rpc::SubmitReply Core::Submitted(const Job& job) const {
  rpc::SubmitReply reply{.job = job.definition.id, .contract = job.record.contract};
  const TooSmall too_small = TooSmallFor(job);
  reply.too_small = static_cast<int32_t>(too_small.names.size());
  reply.unit_bytes = job.definition.unit_bytes;
  reply.largest_unit_memory = too_small.largest;
  if (job.record.contract.empty()) return reply;
  reply.excluded = static_cast<int32_t>(ExcludedFrom(job).for_contract.size());
  reply.executors = static_cast<int32_t>(sessions_.size()) - reply.excluded - reply.too_small;
  return reply;
}

}  // namespace dl::master
