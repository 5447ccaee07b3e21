// The kernel contracts of executors, and the contract of a job that has none.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "master/core/fleet/eligibility.h"
#include "nn/conf/contract_id.h"

namespace dl::master {
namespace {

// "" is lower than all names.
bool IsLowerIsa(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a.empty() && !b.empty();
  return std::pair(nn::RankOfIsa(a), a) < std::pair(nn::RankOfIsa(b), b);
}
const std::string& LowerIsa(const std::string& a, const std::string& b) {
  return IsLowerIsa(b, a) ? b : a;
}
const std::string& HigherIsa(const std::string& a, const std::string& b) {
  return IsLowerIsa(a, b) ? b : a;
}

}  // namespace

const rpc::OfferedContract* Eligibility::OfferFor(const Session& session, const Job& job) {
  for (const rpc::OfferedContract& offered : session.who.contracts) {
    if (nn::OffersContract(offered.contract, job.record.contract)) return &offered;
  }
  return nullptr;
}

// Contracts that no build knows are native and compute in float32, so that tests can invent some.
bool Eligibility::Suits(const rpc::OfferedContract& offered, const Job& job) {
  return nn::KernelSetOf(offered.contract) == job.definition.kernels &&
         nn::ComputesIn(offered.isa, nn::Precision::kBf16) ==
             (job.definition.precision == nn::Precision::kBf16);
}

bool Eligibility::IsKnown(const rpc::OfferedContract& offered) const {
  return incarnation_.options.is_known_contract == nullptr ||
         incarnation_.options.is_known_contract(offered.contract, offered.isa);
}

// Returns the contract that the executor proposes for the job; null if it proposes none.
const rpc::OfferedContract* Eligibility::SayOf(const Session& session, const Job& job) const {
  for (const rpc::OfferedContract& offered : session.who.contracts) {
    const bool asked =
        job.WantedIsa().empty() ? Suits(offered, job) : offered.isa == job.WantedIsa();
    if (asked && IsKnown(offered)) return &offered;
  }
  return nullptr;
}

bool Eligibility::OffersWhatIsAsked(const Session& session, const Job& job) const {
  return !fleet_.IsQuarantined(session.who.executor) && !session.disconnected_at &&
         SayOf(session, job) != nullptr;
}

// Whether the executor takes part in the decision on the job's contract.
bool Eligibility::MayDecideContract(const Session& session, const Job& job) const {
  return OffersWhatIsAsked(session, job) && Holds(session, job) && HasLabels(session.labels, job);
}

std::optional<std::string> Eligibility::PreferredContract(const Job& job) const {
  struct Named {
    std::string contract, isa;
    int64_t slots = 0;
  };
  std::map<std::string, Named> by_contract;
  for (const auto& [id, session] : fleet_.sessions()) {
    if (!MayDecideContract(session, job)) continue;
    const rpc::OfferedContract& say = *SayOf(session, job);
    const std::string contract = nn::ContractOfJob(say.contract, job.definition.caches_in_bits);
    if (job.failed_under.contains(contract)) continue;
    Named& named = by_contract.try_emplace(contract, Named{contract, say.isa}).first->second;
    named.isa = LowerIsa(named.isa, say.isa);
    named.slots += session.who.slots;
  }
  if (by_contract.empty()) return std::nullopt;
  std::vector<Named> order;
  for (auto& [contract, named] : by_contract) order.push_back(std::move(named));
  std::ranges::stable_sort(
      order, {}, [](const Named& n) { return std::tuple(nn::RankOfIsa(n.isa), n.isa, -n.slots); });
  // An executor that states a wrong contract states only one, so a few are examined.
  constexpr size_t kMostLookedAt = 4;
  for (size_t i = 0; order.size() > 1 && i < std::min(order.size(), kMostLookedAt); ++i) {
    if (ExecutorsOffering(order[i].contract, job) > 1) return order[i].contract;
  }
  return order.front().contract;
}

std::optional<std::string> Eligibility::ContractFor(const Job& job) const {
  Instant first = Instant::Max();
  for (const auto& [id, session] : fleet_.sessions()) {
    if (MayDecideContract(session, job)) first = std::min(first, session.joined);
  }
  if (first == Instant::Max() || step_.came < ContractDecidedAt(first)) return std::nullopt;
  return PreferredContract(job);
}

size_t Eligibility::ExecutorsOffering(const std::string& contract, const Job& job) const {
  return static_cast<size_t>(std::ranges::count_if(fleet_.sessions(), [&](const auto& entry) {
    const Session& session = entry.second;
    return !fleet_.IsQuarantined(session.who.executor) && !session.disconnected_at &&
           Holds(session, job) && HasLabels(session.labels, job) &&
           std::ranges::any_of(session.who.contracts, [&](const rpc::OfferedContract& offered) {
             return nn::OffersContract(offered.contract, contract);
           });
  }));
}

std::string Eligibility::IsaOf(const Job& job) const {
  for (const auto& [id, session] : fleet_.sessions()) {
    const rpc::OfferedContract* offer = OfferFor(session, job);
    if (offer != nullptr) return offer->isa;
  }
  return "";
}

Instant Eligibility::ContractDecidedAt(Instant first) const {
  return std::max(first, incarnation_.began) + incarnation_.options.contract_grace;
}

Eligibility::InstructionSets Eligibility::InstructionSetsFor(const Job& job) const {
  constexpr size_t kMostNamed = 5;
  InstructionSets sets;
  // Highest instruction set of each executor.
  std::vector<std::pair<std::string, const std::string*>> best;
  for (const auto& [id, session] : fleet_.sessions()) {
    if (!MayDecideContract(session, job)) continue;
    std::string isa;
    for (const rpc::OfferedContract& offered : session.who.contracts) {
      if (Suits(offered, job) && IsKnown(offered)) isa = HigherIsa(isa, offered.isa);
    }
    sets.highest = HigherIsa(sets.highest, isa);
    sets.lowest = best.empty() ? isa : LowerIsa(sets.lowest, isa);
    best.emplace_back(std::move(isa), &session.who.executor);
  }
  for (const auto& [isa, executor] : best) {
    if (isa != sets.lowest) {
      ++sets.higher;
    } else if (++sets.limited <= kMostNamed) {
      sets.limiting.push_back(*executor);
    }
  }
  return sets;
}

}  // namespace dl::master
