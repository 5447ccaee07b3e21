#include "master/core/machine/rollbacks.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace dl::master {

void Rollbacks::Settle(RollbackRequest request) {
  const auto found = jobs_.live().find(request.job);
  if (found == jobs_.live().end()) return;
  Job& job = found->second;
  jobs_.Touch(job);
  if (job.active() && request.rollback.to < job.log.committed)
    RollBack(job, std::move(request.rollback));
}

// Rounds after `to` no longer count. The chain records it, and the job continues from the last
// state before them.
void Rollbacks::RollBack(Job& job, Rollback rollback) {
  const int64_t from = job.log.committed;
  DL_CHECK(rollback.to >= 0 && rollback.to <= from);
  std::vector<std::string> executors;
  for (const auto& [executor, round] : job.attestations.unverified_since) {
    if (round > rollback.to && fleet_.IsQuarantined(executor)) executors.push_back(executor);
  }
  open_units_.Drop(job);
  uses_.logs.AppendRecord(
      job, {.type = RecordType::kRollback, .round = rollback.to, .executors = executors});
  ++job.record.rollbacks;
  records_.PersistJob(job);
  ForgetRoundsAfter(job, rollback.to);
  for (auto& [id, session] : fleet_.sessions()) session.notices.Forget(job.definition.id);
  job.attestations.votes = std::move(rollback.votes);
  const std::string why =
      !rollback.why.empty()
          ? rollback.why
          : absl::StrCat("rounds ", rollback.to + 1, " to ", from, " depend on results that ",
                         executors.empty()
                             ? "another executor contradicts"
                             : absl::StrCat("no other executor confirmed, of quarantined ",
                                            absl::StrJoin(executors, ", ")));
  step_.EmitEvent(
      job, RollbackEvent{.round = rollback.to,
                         .rounds_lost = from - rollback.to,
                         .executors = executors,
                         .message = absl::StrCat(why, "; rolling back to round ", rollback.to)});
  uses_.trust.PersistUnverified(job);
  if (!job.stops()) {
    uses_.recovery.BeginRecovery(job);
  } else if (job.log.LastCommit() != nullptr) {
    uses_.endings.Stop(job);
  } else {
    // It ends with the name of the state to which it rolled back.
    job.preparation.next.reset();
    uses_.preparations.Survey(job, job.checkpoints.empty() ? 0 : job.checkpoints.rbegin()->first);
  }
}

// Restores the job's data to the time of `round`.
void Rollbacks::ForgetRoundsAfter(Job& job, int64_t round) {
  job.log.ForgetAfter(round);
  job.log.head.commit = job.log.PlaceOf(round);
  uses_.logs.PersistHead(job);
  uses_.timeline.ForgetRoundsAfter(job, round);
  for (auto it = job.checkpoints.upper_bound(round); it != job.checkpoints.end();) {
    uses_.checkpoints.SetAside(job, it->second);
    it = job.checkpoints.erase(it);
  }
  uses_.sources.UpdateWantedSource(job);
  // The state being written no longer counts. Its CheckpointWritten is recognized by its name.
  job.saving.round = -1;
  job.attestations.ForgetRoundsAfter(round);
}

}  // namespace dl::master
