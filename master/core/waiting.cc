// What nobody can serve: a job without executors waits for some; a unit that everybody failed at,
// or that two computed differently, waits for another executor, and not for ever.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "master/core/core.h"

namespace dl::master {

bool Core::LacksExecutors(const Job& job) const {
  const bool working = job.phase == Phase::kTraining || job.phase == Phase::kEvaluating;
  return working && EligibleExecutors(job) == 0;
}

// The job says that it waits, and for whom; a warning says what nobody mends by waiting.
void Core::WaitFor(Job& job, JobState state, const Lack& lack) {
  const bool told = job.record.reason == lack.reason;
  if (told && job.record.state == state && job.record.message == lack.message) return;
  SetState(job, state, lack.reason, lack.message);
  if (told || lack.reason != Reason::kWaitingForLargerExecutors) return;
  EmitEvent(job, {{"type", "warning"},
                  {"message", absl::StrCat("it waits for a larger executor: ", lack.message,
                                           "; start one with a larger --memory, or submit "
                                           "the job with a smaller training.batch_size")}});
}

void Core::UpdateWaiting(Job& job) {
  const bool lacks = LacksExecutors(job) && came_ >= WaitingBegins();
  const JobState state = job.record.state;
  const bool waits = job.record.reason == Reason::kWaitingForExecutors ||
                     job.record.reason == Reason::kWaitingForLargerExecutors;
  if (lacks && (state == JobState::kRunning || state == JobState::kWaiting)) {
    WaitFor(job, JobState::kWaiting, WhyWithoutExecutors(job));
  } else if (lacks && state == JobState::kRecovering) {
    WaitFor(job, JobState::kRecovering, WhyWithoutExecutors(job));
  } else if (state == JobState::kWaiting) {
    SetState(job, JobState::kRunning, Reason::kNone, "");
  } else if (state == JobState::kRecovering && waits) {
    SetState(job, JobState::kRecovering, Reason::kReplaying, ReplayText(job));
  }
  if (job.phase != Phase::kTraining && job.phase != Phase::kEvaluating) return;
  FailUndecided(job);
  if (!IsTerminal(job.record.state)) FailUncomputable(job);
}

// Two results and nobody to decide between them.
void Core::FailUndecided(Job& job) {
  for (const int32_t index : job.board.disputed()) {
    const Unit& unit = job.units.at(index);
    if (!unit.disputed() || came_ < job.dispute_since + options_.another_executor_wait ||
        unit.HasLiveLease())
      continue;
    if (SomebodyMayDecide(job, unit)) continue;  // busy with another unit
    const auto& deciders = job.definition.verify_executors;
    const std::string who =
        deciders.empty() ? "three of them" : absl::StrCat("one of ", absl::StrJoin(deciders, ", "));
    Fail(job, job.replaying() ? Reason::kReplayMismatch : Reason::kDisagreement,
         DataLoss(
             {.message = absl::StrCat(
                  job.replaying() ? "computing again gave another result than the committed one"
                                  : "two executors computed different results",
                  " of worker ", index, " in round ", unit.id.round,
                  " and nobody else came to decide"),
              .where = ToString(unit.id),
              .remedy =
                  "Check the memory and CPUs of the executors, then resume the job with " + who}));
    return;
  }
}

// Everybody who is there failed at it so often that nobody is asked any more.
void Core::FailUncomputable(Job& job) {
  const std::set<int32_t> troubled = job.board.troubled();
  for (const int32_t index : troubled) {
    Unit& unit = job.units.at(index);
    const std::optional<Instant> before = unit.refused_since;
    const bool open =
        unit.WantsResult() && !unit.HasLiveLease() && !unit.disputed() && !unit.AwaitsBytes();
    if (!open || unit.errors.empty() || LacksExecutors(job) || SomebodyMayLease(job, unit)) {
      unit.refused_since.reset();
      if (before) TouchUnit(job, index);
      continue;
    }
    if (!unit.refused_since) unit.refused_since = now_;
    if (!before) TouchUnit(job, index);
    if (came_ < *unit.refused_since + options_.another_executor_wait) continue;
    Fail(job, Reason::kUnitFailed, unit.errors.back().error);
    return;
  }
}

}  // namespace dl::master
