// Who may compute what: what executors offer (kernel contract, instruction set, memory) beside what
// a job asks for. Questions only; nothing is changed here.
//
// What an executor has for units is shared by those that it computes at once, not by its slots:
// four slots and room for two units make two at once. Units of different jobs share it too, so
// whether one may begin depends on what the session has leased (Leasing::RoomOf). Who could not
// hold a unit even alone counts for its job as one of another kernel contract does: it is not
// asked, decides nothing, and nobody waits for it (Holds). Who says nothing of its memory holds
// everything.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "master/core/fleet/fleet.h"
#include "master/core/job/reports.h"

namespace dl::master {

// Why a job does not go on, for people.
struct BlockedReason {
  Reason reason = Reason::kNone;
  std::string message;
  bool operator==(const BlockedReason&) const = default;
};

class Eligibility {
 public:
  Eligibility(const MasterIncarnation& incarnation, const CurrentStep& step, const Fleet& fleet)
      : incarnation_(incarnation), step_(step), fleet_(fleet) {}

  // ---- memory ----
  static int64_t MemoryOf(const Session& session);
  static bool Holds(const Session& session, const Job& job);
  // InvalidArgument: nobody will ever compute it.
  Status FitsAnywhere(const JobDefinition& definition) const;
  struct TooSmall {  // executors that would count for a job if they held its units
    std::vector<std::string> names;
    int64_t largest = 0;  // what one of them has for units, at most
  };
  TooSmall TooSmallFor(const Job& job) const;

  // ---- labels ----
  // All that the job needs.
  static bool HasLabels(const LabelSet& labels, const Job& job) {
    return labels.Includes(job.needs);
  }

  // ---- contracts ----
  // Under which of what it offers the executor computes the job; null: under none.
  static const rpc::OfferedContract* OfferFor(const Session& session, const Job& job);
  // The contract that a job without one is computed under. Each executor names the first contract
  // that it offers, or the first that the job asks for. A contract that two executors offer goes
  // before a contract that one alone offers; then the lowest instruction set, then the most slots.
  // None: no executor names one under which the job did not fail (Job::failed_under).
  std::optional<std::string> PreferredContract(const Job& job) const;
  // The same, but none before executors that start together had the time to come.
  std::optional<std::string> ContractFor(const Job& job) const;
  // Number of executors that may compute the job if `contract` is its contract.
  size_t ExecutorsOffering(const std::string& contract, const Job& job) const;
  // The instruction set of the job's contract, as executors name it; empty: none offers it.
  std::string IsaOf(const Job& job) const;
  Instant ContractDecidedAt(Instant first) const;
  // The instruction sets of the executors that have a say in the job's contract, each by the
  // highest that it offers.
  struct InstructionSets {
    std::string lowest, highest;
    std::vector<std::string> limiting;  // executors that have no more than the lowest; at most 5
    size_t limited = 0;                 // how many these are
    size_t higher = 0;                  // executors that have more
  };
  InstructionSets InstructionSetsFor(const Job& job) const;
  BlockedReason ReasonWithoutContract(const Job& job) const;
  BlockedReason ReasonWithoutExecutors(const Job& job) const;
  // REQUIRES: AllAreHeldOff(job).
  static BlockedReason ReasonHeldOff(const Job& job);
  // The error of a job that FAILS because all executors were killed at it.
  // REQUIRES: AllAreHeldOff(job).
  Status KilledError(const Job& job) const;
  // Who is there and gets none of the job's units.
  Excluded ExcludedFrom(const Job& job) const;

  // ---- units ----
  // Suits: contract, memory and labels. Eligible: for the job, whatever it is working on (that, and
  // not quarantined). Able: eligible, and it has not failed at the unit too often. May: the unit's
  // own rules let it have a lease, or a say in a dispute, as things are. An executor that failed at
  // a unit may lease it again only when no executor that has not failed at it may.
  static bool Suits(const Session& session, const Job& job);
  bool IsEligible(const Session& session, const Job& job) const;
  // How many units of the job may be computed at once, if it had all of them for itself: by as many
  // executors as its scheduling lets, the largest ones.
  int64_t SlotsFor(const Job& job) const;
  bool AnyEligible(const Job& job,
                   const std::function<bool(const std::string& executor)>& holds) const;
  bool AnyIsAble(const Job& job, const Unit& unit, const std::string& except = "") const;
  bool MayLease(const Job& job, const Unit& unit, const std::string& executor) const;
  // Whether a registered executor may lease the unit now or when it has a free slot. Executors that
  // the job holds off (Job::HoldsOff) do not count.
  bool AnyMayLease(const Job& job, const Unit& unit) const;
  // Whether a registered executor failed at the unit so often that it is not asked again.
  bool AnyIsUnable(const Job& job, const Unit& unit) const;
  // Whether an executor that is not set aside may lease the unit.
  bool AnyReliableMayLease(const Job& job, const Unit& unit) const;
  // Whether an executor that did not fail at the unit is expected to register again.
  bool UntriedMayReturn(const Unit& unit) const;
  // Whether every eligible executor failed at the unit with that signature, and no other one is
  // expected to register again.
  bool AllFailed(const Job& job, const Unit& unit, const std::string& signature) const;
  // Whether the job has eligible executors, and gets none of them for now (Job::HoldsOff).
  bool AllAreHeldOff(const Job& job) const;

 private:
  // MayLease() without regard to failures at the unit.
  bool RulesLetLease(const Job& job, const Unit& unit, const std::string& executor) const;
  // An executor that is served, and that has not failed at the unit, may lease it.
  bool AnyUntriedMayLease(const Job& job, const Unit& unit) const;
  BlockedReason ReasonWithoutLabels(const Job& job) const;
  static std::string ReasonTooSmall(const Job& job, const TooSmall& executors);
  bool WouldCount(const Session& session, const Job& job) const;
  bool IsKnown(const rpc::OfferedContract& offered) const;
  const rpc::OfferedContract* SayOf(const Session& session, const Job& job) const;
  bool OffersWhatIsAsked(const Session& session, const Job& job) const;
  bool MayDecideContract(const Session& session, const Job& job) const;

  const MasterIncarnation& incarnation_;
  const CurrentStep& step_;
  const Fleet& fleet_;
};

}  // namespace dl::master
