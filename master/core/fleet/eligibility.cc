#include "master/core/fleet/eligibility.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nn/conf/contract_id.h"

namespace dl::master {
namespace {

// Rounded so that a size that does not fit is always larger than the limit.
int64_t MebibytesUp(int64_t bytes) { return (bytes + (int64_t{1} << 20) - 1) >> 20; }
int64_t MebibytesDown(int64_t bytes) { return bytes >> 20; }

}  // namespace

bool Eligibility::IsEligible(const Session& session, const Job& job) const {
  return Suits(session, job) && !fleet_.IsQuarantined(session.who.executor);
}

bool Eligibility::Suits(const Session& session, const Job& job) {
  return OfferFor(session, job) != nullptr && Holds(session, job) && HasLabels(session.labels, job);
}

bool Eligibility::IsAvailable(const Session& session, const Job& job) const {
  return IsEligible(session, job) && !session.drain && !session.disconnected_at;
}

int32_t Eligibility::AvailableExecutors(const Job& job) const {
  return static_cast<int32_t>(std::ranges::count_if(
      fleet_.sessions(), [&](const auto& entry) { return IsAvailable(entry.second, job); }));
}

int64_t Eligibility::SlotsFor(const Job& job) const {
  std::vector<int64_t> slots;  // by executor
  for (const auto& [id, session] : fleet_.sessions()) {
    if (!IsAvailable(session, job)) continue;
    const int64_t held = MemoryOf(session) / std::max<int64_t>(1, job.definition.unit_bytes);
    slots.push_back(std::min<int64_t>(session.who.slots, held));
  }
  const auto most = static_cast<size_t>(job.record.scheduling.max_executors);
  if (most > 0 && most < slots.size()) {
    std::nth_element(slots.begin(), slots.begin() + static_cast<int64_t>(most), slots.end(),
                     std::greater<>());
    slots.resize(most);
  }
  return std::accumulate(slots.begin(), slots.end(), int64_t{0});
}

bool Eligibility::AnyEligible(const Job& job,
                              const std::function<bool(const std::string& executor)>& holds) const {
  return std::any_of(fleet_.sessions().begin(), fleet_.sessions().end(), [&](const auto& entry) {
    return IsEligible(entry.second, job) && holds(entry.second.who.executor);
  });
}

bool Eligibility::AnyIsAble(const Job& job, const Unit& unit, const std::string& except) const {
  return AnyEligible(job, [&](const std::string& executor) {
    return executor != except && !unit.IsUnable(executor) && !job.HoldsOff(executor, step_.came) &&
           !fleet_.IsUnreliable(executor);
  });
}

// An executor may confirm its own result only if no other executor could.
bool Eligibility::RulesLetLease(const Job& job, const Unit& unit,
                                const std::string& executor) const {
  // A value that is not finite has to be confirmed by another executor, if one is able.
  if (unit.SaidNotFinite(executor) && AnyIsAble(job, unit, executor)) return false;
  return unit.MayCompute(executor, Unit::Company::kOthers) ||
         (unit.MayCompute(executor, Unit::Company::kAlone) && !AnyIsAble(job, unit, executor));
}

bool Eligibility::AnyUntriedMayLease(const Job& job, const Unit& unit) const {
  return std::ranges::any_of(fleet_.sessions(), [&](const auto& entry) {
    const Session& session = entry.second;
    const std::string& executor = session.who.executor;
    return IsEligible(session, job) && !session.restart && !session.drain &&
           !unit.HasFailed(executor) && !job.HoldsOff(executor, step_.came) &&
           RulesLetLease(job, unit, executor);
  });
}

bool Eligibility::MayLease(const Job& job, const Unit& unit, const std::string& executor) const {
  return RulesLetLease(job, unit, executor) &&
         (!unit.HasFailed(executor) || !AnyUntriedMayLease(job, unit));
}

// If the rules allow several executors, MayLease() is true for at least one of them.
bool Eligibility::AnyMayLease(const Job& job, const Unit& unit) const {
  return AnyEligible(job, [&](const std::string& executor) {
    return !job.HoldsOff(executor, step_.came) && RulesLetLease(job, unit, executor);
  });
}

bool Eligibility::AnyIsUnable(const Job& job, const Unit& unit) const {
  return AnyEligible(job, [&](const std::string& executor) { return unit.IsUnable(executor); });
}

bool Eligibility::AnyMayLease(const Job& job, const Unit& unit,
                              const std::vector<std::string>& executors) const {
  std::optional<bool> untried;  // equal for all executors that failed
  return std::ranges::any_of(executors, [&](const std::string& executor) {
    if (!RulesLetLease(job, unit, executor)) return false;
    if (!unit.HasFailed(executor)) return true;
    if (!untried) untried = AnyUntriedMayLease(job, unit);
    return !*untried;
  });
}

bool Eligibility::UntriedMayReturn(const Unit& unit) const {
  return fleet_.OthersMayReturn(
      [&](const std::string& executor) { return !unit.HasFailed(executor); });
}

bool Eligibility::AllFailed(const Job& job, const Unit& unit, const std::string& signature) const {
  if (UntriedMayReturn(unit)) return false;
  std::set<std::string> failed;
  for (const UnitError& error : unit.errors) {
    if (error.of_unit && error.signature == signature) failed.insert(error.executor);
  }
  return !AnyEligible(job, [&](const std::string& executor) { return !failed.contains(executor); });
}

bool Eligibility::AllAreHeldOff(const Job& job) const {
  bool any = false;
  for (const auto& [executor, kills] : job.kills) any |= step_.came < kills.held_off_until;
  return any && !AnyEligible(job, [&](const std::string& executor) {
           return !job.HoldsOff(executor, step_.came);
         });
}

int64_t Eligibility::MemoryOf(const Session& session) {
  const int64_t said = session.who.unit_memory_bytes;
  return said > 0 ? said : std::numeric_limits<int64_t>::max();
}

bool Eligibility::Holds(const Session& session, const Job& job) {
  return job.definition.unit_bytes <= MemoryOf(session);
}

// Whether the executor could compute units of the job if its memory held one.
bool Eligibility::WouldCount(const Session& session, const Job& job) const {
  if (!HasLabels(session.labels, job)) return false;
  if (job.record.contract.empty()) return OffersWhatIsAsked(session, job);
  return OfferFor(session, job) != nullptr && !fleet_.IsQuarantined(session.who.executor);
}

Eligibility::TooSmall Eligibility::TooSmallFor(const Job& job) const {
  TooSmall executors;
  for (const auto& [id, session] : fleet_.sessions()) {
    if (Holds(session, job) || !WouldCount(session, job)) continue;
    executors.names.push_back(session.who.executor);
    executors.largest = std::max(executors.largest, MemoryOf(session));
  }
  return executors;
}

BlockedReason Eligibility::ReasonTooSmall(const Job& job, const TooSmall& executors) {
  const int64_t needed = MebibytesUp(job.definition.unit_bytes);
  return {
      Reason::kWaitingForLargerExecutors,
      absl::StrCat("a unit takes up to ", needed, " MiB of memory, and the largest of ",
                   executors.names.size(), executors.names.size() == 1 ? " executor" : " executors",
                   " has ", MebibytesDown(executors.largest),
                   " MiB for units, which is half of its memory"),
      {.kind = rpc::RemedyKind::kLargerExecutor, .mebibytes = 2 * needed}};
}

Status Eligibility::FitsAnywhere(const JobDefinition& definition) const {
  if (incarnation_.options.only_unit_memory == 0 ||
      definition.unit_bytes <= incarnation_.options.only_unit_memory)
    return absl::OkStatus();
  const std::string& limit = incarnation_.options.memory_limit;
  return InvalidArgument(
      {.message = absl::StrCat("a unit of the job needs up to ", MebibytesUp(definition.unit_bytes),
                               " MiB of memory, but an executor has only ",
                               MebibytesDown(incarnation_.options.only_unit_memory),
                               " MiB for units here", limit.empty() ? "" : " because of ", limit),
       .where = "training.batch_size",
       .remedy = "Compute each minibatch in parts (training.micro_batch_size), use a smaller "
                 "minibatch or model, fewer executors on this machine, or a larger machine"});
}

BlockedReason Eligibility::ReasonWithoutContract(const Job& job) const {
  const bool some =
      std::any_of(fleet_.sessions().begin(), fleet_.sessions().end(),
                  [&](const auto& entry) { return MayDecideContract(entry.second, job); });
  BlockedReason blocked{Reason::kWaitingForExecutors,
                        "executors are registering; its kernel contract is chosen in a moment"};
  if (some) return blocked;
  if (const TooSmall executors = TooSmallFor(job); !executors.names.empty())
    return ReasonTooSmall(job, executors);
  if (BlockedReason labels = ReasonWithoutLabels(job); labels.reason != Reason::kNone)
    return labels;
  std::string& message = blocked.message;
  message = "no executor is registered";
  if (job.definition.kernels == nn::KernelSet::kPortable) {
    absl::StrAppend(&message, " that offers portable kernels");
  } else if (!job.WantedIsa().empty()) {
    absl::StrAppend(&message, " that computes with isa ", job.WantedIsa());
  } else if (job.definition.precision != nn::Precision::kFloat32) {
    absl::StrAppend(&message, " that computes in ",
                    std::string(nn::WordOf(job.definition.precision)), ", with isa ",
                    nn::IsasOf(job.definition.precision));
  }
  if (fleet_.sessions().empty()) return blocked;
  const bool refused = std::any_of(
      fleet_.sessions().begin(), fleet_.sessions().end(),
      [&](const auto& entry) { return fleet_.IsQuarantined(entry.second.who.executor); });
  const bool unknown =
      std::any_of(fleet_.sessions().begin(), fleet_.sessions().end(), [&](const auto& entry) {
        return std::ranges::none_of(entry.second.who.contracts,
                                    [&](const auto& offered) { return IsKnown(offered); });
      });
  if (refused) message += " and is not quarantined for a wrong result";
  if (unknown) message += " under a kernel contract that this master knows";
  return blocked;
}

namespace {

// Returns the executor that was killed most often in a row while it computed the job.
const std::pair<const std::string, Kills>& MostKilled(const Job& job) {
  return *std::ranges::max_element(job.kills, {},
                                   [](const auto& entry) { return entry.second.in_a_row; });
}

}  // namespace

Status Eligibility::KilledError(const Job& job) const {
  const auto& [executor, kills] = MostKilled(job);
  const std::string& limit = incarnation_.options.memory_limit;
  return rpc::AttachRemedy(
      ResourceExhausted(
          {.message = absl::StrCat(
               "killed, probably by ", limit.empty() ? "a memory limit" : limit, ": process ",
               executor, " was killed ", kills.in_a_row,
               " times in a row while it computed the job, like every other process of this "
               "cluster"),
           .where = job.definition.id}),
      {.kind = rpc::RemedyKind::kResumeWithMoreMemory, .job = job.definition.id});
}

BlockedReason Eligibility::ReasonHeldOff(const Job& job) {
  const auto* const most = &MostKilled(job);
  return {Reason::kProcessKilled,
          absl::StrCat("executor ", most->first, " was killed ", most->second.in_a_row,
                       " times in a row while it computed this job, probably by a memory limit of "
                       "its container, of the batch system or of the machine; it tries again after "
                       "a pause, and no other executor is registered"),
          {.kind = rpc::RemedyKind::kLargerExecutor,
           .mebibytes = 2 * MebibytesUp(job.definition.unit_bytes)}};
}

// Returns a reason only if no registered executor has the labels.
BlockedReason Eligibility::ReasonWithoutLabels(const Job& job) const {
  const auto& sessions = fleet_.sessions();
  const bool nobody =
      !sessions.empty() && std::none_of(sessions.begin(), sessions.end(), [&](const auto& entry) {
        return HasLabels(entry.second.labels, job);
      });
  if (!nobody) return {};
  return {Reason::kWaitingForExecutors,
          absl::StrCat("no executor has all labels that it needs: ",
                       absl::StrJoin(job.record.scheduling.needs, ", "),
                       "; start an executor with --executor-label for each of them")};
}

BlockedReason Eligibility::ReasonWithoutExecutors(const Job& job) const {
  if (const TooSmall executors = TooSmallFor(job); !executors.names.empty())
    return ReasonTooSmall(job, executors);
  if (BlockedReason labels = ReasonWithoutLabels(job); labels.reason != Reason::kNone)
    return labels;
  const std::string message = absl::StrCat(
      "no executor offers slots under the job's kernel contract ", job.record.contract);
  std::set<std::string> others;
  for (const auto& [id, session] : fleet_.sessions()) {
    if (fleet_.IsQuarantined(session.who.executor) || OfferFor(session, job) != nullptr) continue;
    for (const rpc::OfferedContract& offered : session.who.contracts) {
      if (!Suits(offered, job) || !IsKnown(offered)) continue;
      others.insert(offered.isa.empty() ? offered.contract : offered.isa);
    }
  }
  if (others.empty()) return {Reason::kWaitingForExecutors, message};
  if (job.log.committed <= 0 && PreferredContract(job)) {
    return {Reason::kWaitingForExecutors,
            message + "; no round is committed yet, so it changes to another contract in a moment"};
  }
  const bool portable = job.definition.kernels == nn::KernelSet::kPortable;
  return {Reason::kWaitingForExecutors,
          absl::StrCat(message, portable ? "; others offer " : "; others compute with isa ",
                       absl::StrJoin(others, " and ")),
          {.kind = rpc::RemedyKind::kRebind,
           .job = job.definition.id,
           .isa = portable ? "" : *others.begin()}};
}

ExcludedView Eligibility::ExcludedFrom(const Job& job) const {
  ExcludedView excluded{.for_memory = TooSmallFor(job).names};
  for (const auto& [id, session] : fleet_.sessions()) {
    if (!HasLabels(session.labels, job)) {
      excluded.for_labels.push_back(session.who.executor);
    } else if (!job.record.contract.empty() && OfferFor(session, job) == nullptr) {
      excluded.for_contract.push_back(session.who.executor);
    }
  }
  return excluded;
}

}  // namespace dl::master
