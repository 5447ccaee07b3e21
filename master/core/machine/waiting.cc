#include "master/core/machine/waiting.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace dl::master {

bool Waiting::LacksExecutors(const Job& job) const {
  const bool working = job.phase == Phase::kTraining || job.phase == Phase::kEvaluating;
  return working && fleet_.EligibleExecutors(job) == 0;
}

// Whether all remaining units need confirmation by executors that the job names, and none of them
// is registered.
bool Waiting::LacksDeciders(const Job& job) const {
  const auto& deciders = job.definition.verify_executors;
  const bool working = job.phase == Phase::kTraining || job.phase == Phase::kEvaluating;
  if (deciders.empty() || !working || job.units.empty()) return false;
  if (eligibility_.AnyEligible(job, [&](const std::string& who) { return deciders.contains(who); }))
    return false;
  bool unconfirmed = false;
  for (const auto& [index, unit] : job.units) {
    if (!unit.accepted || unit.disputed() || unit.AwaitsBytes()) return false;
    unconfirmed |= unit.verify && !unit.Confirmed();
  }
  return unconfirmed;
}

// Whether all eligible executors were killed too often by the job and are held off.
bool Waiting::IsHeldOff(const Job& job) const {
  const bool working = job.phase == Phase::kTraining || job.phase == Phase::kEvaluating;
  return working && !job.kills.empty() && job.unit_index.live_leases() == 0 &&
         !job.unit_index.open().empty() && eligibility_.AllAreHeldOff(job);
}

BlockedReason Waiting::WaitingReason(const Job& job) const {
  if (LacksExecutors(job)) return eligibility_.ReasonWithoutExecutors(job);
  if (IsHeldOff(job)) return eligibility_.ReasonHeldOff(job);
  return {Reason::kWaitingForExecutors,
          absl::StrCat("results are to be confirmed by one of training.verify_executors, ",
                       absl::StrJoin(job.definition.verify_executors, ", "),
                       ", but none of them is registered")};
}

void Waiting::WaitFor(Job& job, JobState state, const BlockedReason& blocked) {
  const bool told = job.record.reason == blocked.reason;
  if (told && job.record.state == state && job.record.message == blocked.message) return;
  records_.SetState(job, state, blocked.reason, blocked.message, blocked.remedy);
  const bool larger_helps = blocked.reason == Reason::kWaitingForLargerExecutors ||
                            blocked.reason == Reason::kProcessKilled;
  if (told || !larger_helps) return;
  step_.Warn(job, absl::StrCat("it waits for a larger executor: ", blocked.message),
             blocked.remedy);
}

void Waiting::UpdateWaiting(Job& job) {
  if (!incarnation_.options.others_may_join && IsHeldOff(job)) {
    uses_.endings.Fail(job, Reason::kProcessKilled, eligibility_.KilledError(job));
    return;
  }
  const bool lacks = (LacksExecutors(job) || LacksDeciders(job) || IsHeldOff(job)) &&
                     step_.came >= incarnation_.WaitingBegins();
  if (FailIfAllAreQuarantined(job)) return;
  const JobState state = job.record.state;
  const bool waits = job.record.reason == Reason::kWaitingForExecutors ||
                     job.record.reason == Reason::kWaitingForLargerExecutors ||
                     job.record.reason == Reason::kProcessKilled;
  if (lacks && (state == JobState::kRunning || state == JobState::kWaiting)) {
    WaitFor(job, JobState::kWaiting, WaitingReason(job));
  } else if (lacks && state == JobState::kRecovering) {
    WaitFor(job, JobState::kRecovering, WaitingReason(job));
  } else if (state == JobState::kWaiting) {
    records_.SetState(job, JobState::kRunning, Reason::kNone, "");
  } else if (state == JobState::kRecovering && waits) {
    records_.SetState(job, JobState::kRecovering, Reason::kReplaying, Recovery::ReplayText(job));
  }
  if (job.phase != Phase::kTraining && job.phase != Phase::kEvaluating) return;
  FailUndecided(job);
  // The job may have ended or left its contract.
  if (job.phase == Phase::kTraining || job.phase == Phase::kEvaluating) FailUncomputable(job);
  uses_.contracts.LeaveIfOutvoted(job);
}

bool Waiting::AwaitsReplacement(const Job& job) const {
  const auto is_quarantined = [&](const auto& entry) {
    return fleet_.IsQuarantined(entry.second.who.executor);
  };
  return !incarnation_.options.others_may_join && !fleet_.sessions().empty() &&
         std::ranges::all_of(fleet_.sessions(), is_quarantined) && LacksExecutors(job);
}

bool Waiting::FailIfAllAreQuarantined(Job& job) {
  const auto is_trusted = [&](const std::string& who) { return !fleet_.IsQuarantined(who); };
  if (!AwaitsReplacement(job) ||
      step_.came < job.attestations.dispute_since + incarnation_.options.another_executor_wait ||
      fleet_.OthersMayReturn(is_trusted))
    return false;
  uses_.endings.Fail(
      job, Reason::kDisagreement,
      DataLoss({.message = absl::StrCat("the executors ", absl::StrJoin(fleet_.quarantined(), ", "),
                                        " gave wrong results, and no other executor can join"),
                .where = job.definition.id,
                .remedy = "Check the memory and CPU of the machine, then resume the job"}));
  return true;
}

// FAILS the job if a dispute is not decided in time.
void Waiting::FailUndecided(Job& job) {
  for (const int32_t index : job.unit_index.disputed()) {
    const Unit& unit = job.units.at(index);
    if (!unit.disputed() ||
        step_.came < job.attestations.dispute_since + incarnation_.options.another_executor_wait ||
        unit.HasLiveLease())
      continue;
    if (eligibility_.AnyMayLease(job, unit)) continue;  // busy with another unit
    const auto& deciders = job.definition.verify_executors;
    const std::string who =
        deciders.empty() ? "three of them" : absl::StrCat("one of ", absl::StrJoin(deciders, ", "));
    uses_.contracts.FailForUnit(
        job, job.replaying() ? Reason::kReplayMismatch : Reason::kDisagreement,
        DataLoss(
            {.message = absl::StrCat(
                 job.replaying()
                     ? "recomputing gave a result that differs from the committed result"
                     : "two executors computed different results",
                 " of worker ", index, " in round ", unit.id.round,
                 ", and no other executor came to decide"),
             .where = ToString(unit.id),
             .remedy =
                 "Check the memory and CPUs of the executors, then resume the job with " + who}));
    return;
  }
}

// FAILS the job if no executor may compute one of its units: at least one executor failed there too
// often, and the job holds off the others. If the job holds off all executors, it waits instead.
void Waiting::FailUncomputable(Job& job) {
  const std::set<int32_t> troubled = job.unit_index.troubled();
  const bool lacks = !troubled.empty() && (LacksExecutors(job) || LacksDeciders(job));
  for (const int32_t index : troubled) {
    Unit& unit = job.units.at(index);
    const std::optional<Instant> before = unit.refused_since;
    const bool open =
        unit.WantsResult() && unit.leases.empty() && !unit.disputed() && !unit.AwaitsBytes();
    if (!open || unit.errors.empty() || lacks || eligibility_.AnyMayLease(job, unit) ||
        !eligibility_.AnyIsUnable(job, unit)) {
      unit.refused_since.reset();
      if (before) jobs_.TouchUnit(job, index);
      continue;
    }
    if (!unit.refused_since) unit.refused_since = step_.now;
    if (!before) jobs_.TouchUnit(job, index);
    if (step_.came < *unit.refused_since + incarnation_.options.another_executor_wait &&
        !uses_.failures.IsPoison(job, unit))
      continue;
    const UnitError& last = unit.errors.back();
    uses_.contracts.FailForUnit(job, last.not_finite ? Reason::kNotFinite : Reason::kUnitFailed,
                                last.error);
    return;
  }
}

}  // namespace dl::master
