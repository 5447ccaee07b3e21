// Decides which executors may compute which units: compares an executor's kernel contracts,
// instruction sets, memory and labels with the requirements of a job. Queries only.
//
// An executor's memory for units is shared by all units that it computes at once, also by units of
// different jobs. With four slots and memory for two units, it computes two at once. Whether
// another unit fits therefore depends on the session's leases (Placement::RoomOf). An executor that
// is too small for a single unit of a job is treated like one with another contract: it gets no
// units, decides nothing, and is not waited for (Holds). An executor that does not state its memory
// is never too small.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "master/core/fleet/fleet.h"
#include "master/core/job/job.h"
#include "master/core/views/job_view.h"

namespace dl::master {

// Why a job does not proceed, for people. Reason::kNone: it is not blocked.
struct BlockedReason {
  Reason reason = Reason::kNone;
  std::string message;
  rpc::Remedy remedy = {};
  bool operator==(const BlockedReason&) const = default;
};

class Eligibility {
 public:
  Eligibility(const MasterIncarnation& incarnation, const CurrentStep& step, const Fleet& fleet)
      : incarnation_(incarnation), step_(step), fleet_(fleet) {}

  // ---- memory ----
  // Returns the executor's memory for units in bytes; INT64_MAX if it does not state it.
  static int64_t MemoryOf(const Session& session);
  // Whether the executor's memory for units is large enough for one unit of the job.
  static bool Holds(const Session& session, const Job& job);
  // Returns InvalidArgument if no executor will ever be large enough for a unit. This is known only
  // if no other executor can join (CoreOptions::only_unit_memory). Otherwise returns OK.
  Status FitsAnywhere(const JobDefinition& definition) const;
  struct TooSmall {  // executors that could compute the job if their memory were sufficient
    std::vector<std::string> names;
    int64_t largest = 0;  // largest memory for units among them
  };
  TooSmall TooSmallFor(const Job& job) const;

  // ---- labels ----
  // Whether the executor has all labels that the job requires.
  static bool HasLabels(const LabelSet& labels, const Job& job) {
    return labels.Includes(job.needs);
  }

  // ---- contracts ----
  // Returns the contract of the executor under which it computes the job; null if it has none.
  static const rpc::OfferedContract* OfferFor(const Session& session, const Job& job);
  // Returns the contract that the job would get now, also if it has one already. Each executor that
  // could compute the job proposes its first known contract with the job's kernels and precision.
  // If the job requests an instruction set, it proposes the first with that set instead. Contracts
  // under which the job failed (Job::failed_under) do not count. Proposals are ordered by
  // instruction set, the lowest first, then by the number of slots of their executors, the most
  // first. Returns the first of the first four that at least two executors offer. If there is none,
  // returns the first proposal, or nullopt without proposals.
  std::optional<std::string> PreferredContract(const Job& job) const;
  // Returns PreferredContract(), but nullopt until executors that start together had time to
  // register.
  std::optional<std::string> ContractFor(const Job& job) const;
  // Returns the number of executors that could compute the job if `contract` were its contract.
  size_t ExecutorsOffering(const std::string& contract, const Job& job) const;
  // Returns the instruction set of the job's contract as stated by executors; empty if no executor
  // has the contract.
  std::string IsaOf(const Job& job) const;
  // Returns the time from which ContractFor() decides, if the first executor that takes part in the
  // decision registered at `first`.
  Instant ContractDecidedAt(Instant first) const;
  // The instruction sets of the executors that take part in the decision on the job's contract,
  // each with its highest one.
  struct InstructionSets {
    std::string lowest, highest;
    std::vector<std::string> limiting;  // executors whose highest one is `lowest`; at most 5
    size_t limited = 0;                 // number of all executors whose highest one is `lowest`
    size_t higher = 0;                  // number of executors with a higher one
  };
  InstructionSets InstructionSetsFor(const Job& job) const;
  // Returns why a job without a contract waits. REQUIRES: ContractFor() returns nullopt.
  BlockedReason ReasonWithoutContract(const Job& job) const;
  // Returns why a job with a contract waits. REQUIRES: no registered executor is eligible.
  BlockedReason ReasonWithoutExecutors(const Job& job) const;
  // Returns that the job waits, because it holds off every eligible executor. REQUIRES:
  // AllAreHeldOff(job).
  static BlockedReason ReasonHeldOff(const Job& job);
  // Returns ResourceExhausted: the error of a job that FAILS because it holds off every eligible
  // executor. REQUIRES: AllAreHeldOff(job).
  Status KilledError(const Job& job) const;
  // Returns the registered executors that get none of the job's units because of its contract,
  // memory or labels.
  ExcludedView ExcludedFrom(const Job& job) const;

  // ---- units ----
  // Terms for an executor and a job or unit:
  //   - It suits a job if its contract, memory and labels match.
  //   - It is eligible if it suits the job and is not quarantined, whatever it is working on.
  //   - It is able if it is eligible and not unable: it has not failed too often at the unit, and
  //     no lease of the unit stalls there (Unit::IsUnable).
  //   - It is untried if it has not failed at the unit, is asked neither to restart nor to leave,
  //     and is not held off by the job.
  //   - It may lease a unit if the history of the unit permits that now (Unit::MayCompute). If it
  //     has failed at the unit, it may do so only if no untried executor may.
  static bool Suits(const Session& session, const Job& job);
  bool IsEligible(const Session& session, const Job& job) const;
  // Whether the executor is eligible, has a connection, and is not about to leave.
  bool IsAvailable(const Session& session, const Job& job) const;
  int32_t AvailableExecutors(const Job& job) const;
  // Returns how many units of the job the available executors could compute at once if the job were
  // alone. If its scheduling limits the number of executors, counts those with the most slots.
  int64_t SlotsFor(const Job& job) const;
  // Whether `holds` is true for an eligible executor.
  bool AnyEligible(const Job& job,
                   const std::function<bool(const std::string& executor)>& holds) const;
  // Whether an able executor other than `except` is registered. Executors that the job holds off,
  // and unreliable ones (Fleet::IsUnreliable), do not count.
  bool AnyIsAble(const Job& job, const Unit& unit, const std::string& except = "") const;
  // Whether the rules of the unit let the executor lease it. Does not check whether the job holds
  // the executor off. REQUIRES: the executor is eligible.
  bool MayLease(const Job& job, const Unit& unit, const std::string& executor) const;
  // Whether an eligible executor may lease the unit now or when it has a free slot. Executors that
  // the job holds off (Job::HoldsOff) do not count.
  bool AnyMayLease(const Job& job, const Unit& unit) const;
  // Whether an eligible executor does not get the unit (again), because it failed too often at it
  // or its lease has stalled (Unit::IsUnable).
  bool AnyIsUnable(const Job& job, const Unit& unit) const;
  // Whether one of these executors may lease the unit. REQUIRES: all of them are eligible.
  bool AnyMayLease(const Job& job, const Unit& unit,
                   const std::vector<std::string>& executors) const;
  // Whether an executor that did not fail at the unit may register again soon
  // (Fleet::OthersMayReturn).
  bool UntriedMayReturn(const Unit& unit) const;
  // Whether every eligible executor failed at the unit with this signature, by the unit's fault,
  // and no other executor is expected to register again. Without eligible executors, only the
  // second condition counts.
  bool AllFailed(const Job& job, const Unit& unit, const std::string& signature) const;
  // Whether the job holds off at least one executor (Job::HoldsOff), registered or not, and every
  // eligible executor that is registered, if any.
  bool AllAreHeldOff(const Job& job) const;

 private:
  // MayLease() without regard to failures at the unit.
  bool RulesLetLease(const Job& job, const Unit& unit, const std::string& executor) const;
  // Whether an executor that may get work and has not failed at the unit may lease it.
  bool AnyUntriedMayLease(const Job& job, const Unit& unit) const;
  BlockedReason ReasonWithoutLabels(const Job& job) const;
  static BlockedReason ReasonTooSmall(const Job& job, const TooSmall& executors);
  bool WouldCount(const Session& session, const Job& job) const;
  bool IsKnown(const rpc::OfferedContract& offered) const;
  // Whether the contract has the job's kernels and computes in its precision.
  static bool Suits(const rpc::OfferedContract& offered, const Job& job);
  const rpc::OfferedContract* SayOf(const Session& session, const Job& job) const;
  bool OffersWhatIsAsked(const Session& session, const Job& job) const;
  bool MayDecideContract(const Session& session, const Job& job) const;

  const MasterIncarnation& incarnation_;
  const CurrentStep& step_;
  const Fleet& fleet_;
};

}  // namespace dl::master
