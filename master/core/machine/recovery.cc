#include "master/core/machine/recovery.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "master/core/machine/machine.h"

namespace dl::master {

void Recovery::LoadJob(RecoveredJob recovered) {
  const std::string id = recovered.definition.id;
  const Status given_up = recovered.given_up;
  Job restored = Restored(std::move(recovered));
  if (!restored.damage.ok()) {
    step_.WriteLog(absl::StrCat(id, " is damaged: ", DescribeError(restored.damage)));
    jobs_.AddDamaged(std::move(restored));
    return;
  }
  Job& job = jobs_.Add(std::move(restored));
  machine_.logs.PersistNoted(job);
  job.counts.started_at = step_.now;
  job.saving.last_at = step_.now;
  if (job.record.state == JobState::kCancelling) {
    job.at = job.log.committed;
    machine_.lifecycle.End(job, JobState::kCancelled, Reason::kUserRequest, absl::OkStatus());
    return;
  }
  if (!given_up.ok()) {
    job.at = job.log.committed;
    machine_.lifecycle.Fail(job, Reason::kProcessKilled, given_up);
    return;
  }
  if (job.record.state == JobState::kPausing || job.record.state == JobState::kPaused) {
    if (job.record.state == JobState::kPausing) machine_.lifecycle.Stop(job);
    return;
  }
  const bool fits = machine_.queue.CheckFitsAlone(job.definition).ok();
  if (job.record.state == JobState::kQueued || job.log.committed < 0 || !fits) {
    job.record.state = JobState::kQueued;
    job.record.reason = Reason::kNone;
    machine_.queue.Add(job);
    return;
  }
  GoOn(job);
}

void Recovery::GoOn(Job& job) {
  int64_t to = job.log.committed;
  for (const auto& [executor, since] : job.attestations.unverified_since) {
    if (fleet_.IsQuarantined(executor) && Trust::RollsBackOnQuarantine(job))
      to = std::min(to, since - 1);
  }
  if (to < job.log.committed) {
    machine_.rollbacks.RollBack(job, {.to = to});
  } else {
    BeginRecovery(job);
  }
}

void Recovery::BeginRecovery(Job& job) {
  job.at = -1;
  machine_.rounds.DropUnits(job);
  job.preparation.wanted.clear();
  job.preparation.began_again = false;
  for (auto& [round, checkpoint] : job.checkpoints)
    checkpoint.unusable = false;  // each attempt tries them again
  machine_.lifecycle.SetState(job, JobState::kRecovering, Reason::kLoadingState,
                              absl::StrCat("going on behind committed round ", job.log.committed));
  LoadNextCheckpoint(job);
}

void Recovery::LoadNextCheckpoint(Job& job) {
  for (auto it = job.checkpoints.rbegin(); it != job.checkpoints.rend(); ++it) {
    if (it->second.unusable || it->first > job.log.committed) continue;
    job.preparation.next = {.job = job.definition.id,
                            .round = it->first,
                            .source = PrepareState::Source::kCheckpoint,
                            .checkpoint_manifest = it->second.manifest};
    machine_.logs.Survey(job, it->first);
    return;
  }
  // No checkpoint is left. The job can start from its source again; its records verify every round.
  StatusOr<PrepareState> first = machine_.sources.FirstState(job);
  if (!job.preparation.began_again && first.ok()) {
    job.preparation.began_again = true;
    job.preparation.next = *std::move(first);
    machine_.logs.Survey(job, 0);
    return;
  }
  machine_.lifecycle.Fail(
      job, Reason::kStorage,
      DataLoss(
          {.message = absl::StrCat("no usable checkpoint of ", job.definition.id, " is left"),
           .where = job.definition.id,
           .remedy =
               "Start it again with dl-submit submit; its spec is shown by dl-submit inspect"}));
}

// Executors may still have the last committed state. It is not requested if the checkpoint of an
// epoch's end is missing, because the previous master did not finish writing it. Only computing
// that round again restores it.
void Recovery::BeginReplay(Job& job) {
  const int64_t rounds = job.definition.RoundsPerEpoch();
  const int64_t first_end = (job.at / rounds + 1) * rounds;
  for (int64_t end = first_end; MayReplay(job) && end < job.log.committed; end += rounds) {
    if (job.LacksEpochEnd(end) && !job.checkpoints.contains(end)) {
      EndOffers(job);
      return;
    }
  }
  constexpr double kBytesPerSecond = 100e6;  // bandwidth of a slow network
  const auto parts = static_cast<double>(job.log.commits.at(job.log.committed).names.parts.size());
  const double transfer =
      parts * static_cast<double>(job.definition.contribution_bytes) / kBytesPerSecond;
  job.phase = Phase::kOffers;
  job.preparation.offers_until = step_.now + incarnation_.options.recovery_grace;
  job.preparation.offers_limit =
      job.preparation.offers_until + Duration(static_cast<int64_t>(transfer * 1e9));
  AskForParts(job);
}

void Recovery::CloseOffers(Job& job) {
  if (job.phase != Phase::kOffers || step_.came < job.preparation.offers_until) return;
  const StateNames& names = job.log.commits.at(job.log.committed).names;
  const bool all = std::ranges::all_of(
      names.parts, [&](const auto& part) { return job.preparation.wanted.contains(part.second); });
  if (all && step_.came < job.preparation.offers_limit) {
    job.preparation.offers_until = job.preparation.offers_limit;
  } else {
    EndOffers(job);
  }
}

void Recovery::AskForParts(Job& job) {
  const StateNames& names = job.log.commits.at(job.log.committed).names;
  for (const auto& [key, part] : names.parts) {
    if (job.preparation.wanted.contains(part)) continue;
    for (auto& [id, session] : fleet_.sessions()) {
      const auto& held = session.who.held_parts;
      if (std::find(held.begin(), held.end(), part) == held.end()) continue;
      session.notices.Offer(absl::StrCat(job.definition.id, "/", part));
      step_.Do(ExpectPart{job.definition.id, part});
      job.preparation.wanted[part] = false;
      break;
    }
  }
}

void Recovery::On(const PartArrived& event) {
  Job* job = jobs_.Find(event.job);
  if (job == nullptr || job->phase != Phase::kOffers) return;
  auto found = job->preparation.wanted.find(event.sha256);
  if (found == job->preparation.wanted.end()) return;
  found->second = true;
  const StateNames& names = job->log.commits.at(job->log.committed).names;
  const bool all = std::ranges::all_of(names.parts, [&](const auto& part) {
    const auto it = job->preparation.wanted.find(part.second);
    return it != job->preparation.wanted.end() && it->second;
  });
  if (!all) return;
  machine_.lifecycle.Prepare(*job, {.job = job->definition.id,
                                    .round = job->log.committed,
                                    .source = PrepareState::Source::kParts,
                                    .parts = names});
}

// Whether the rounds after the loaded state were committed under the job's contract.
bool Recovery::MayReplay(const Job& job) {
  return job.log.head.AreUnder(job.record.contract, job.at + 1, job.log.committed);
}

void Recovery::EndOffers(Job& job) {
  job.preparation.wanted.clear();
  if (!MayReplay(job)) return FailReplay(job);
  machine_.lifecycle.SetState(job, JobState::kRecovering, Reason::kReplaying, ReplayText(job));
  machine_.lifecycle.Advance(job);
}

void Recovery::FailReplay(Job& job) {
  const std::string& id = job.definition.id;
  machine_.lifecycle.Fail(
      job, Reason::kStorage,
      FailedPrecondition(
          {.message = absl::StrCat("the state of round ", job.log.committed,
                                   " is not there, and rounds before it cannot be computed again "
                                   "under another kernel contract than they were"),
           .where = id,
           .remedy = job.HasCheckpoint(job.at)
                         ? absl::StrCat("Start a new job with --resume-from ", id, "@", job.at)
                         : "Submit it as a new job"}));
}

std::string Recovery::ReplayText(const Job& job) {
  return absl::StrCat("recomputing rounds ", job.at + 1, " to ", job.log.committed);
}

}  // namespace dl::master
