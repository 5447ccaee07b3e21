// After a restart: where every job goes on. The newest usable checkpoint, then the state that
// executors still hold, then recomputing the rounds in between; every way gives the same bits, and
// each recomputed round is compared with its commit.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "master/core/core.h"
#include "master/core/keys.h"

namespace dl::master {

void Core::LoadJob(RecoveredJob recovered) {
  const std::string id = recovered.definition.id;
  Job restored = Restored(std::move(recovered));
  if (!restored.damage.ok()) {
    WriteLog(absl::StrCat(id, " is damaged: ", DescribeError(restored.damage)));
    ended_.emplace(id, std::move(restored));  // and stays there: the store tells something else
    return;
  }
  Job& job = jobs_.emplace(id, std::move(restored)).first->second;
  PersistNoted(job);
  job.started_at = now_;
  job.last_checkpoint_at = now_;
  if (job.record.state == JobState::kCancelling) {
    job.at = job.committed;
    End(job, JobState::kCancelled, Reason::kUserRequest, absl::OkStatus());
    return;
  }
  if (job.record.state == JobState::kQueued || job.committed < 0) {
    job.record.state = JobState::kQueued;
    job.record.reason = Reason::kNone;
    queue_.push_back(id);
    return;
  }
  GoOn(job);
}

// Behind its last commit, or behind the last one that no quarantined executor's word alone made.
void Core::GoOn(Job& job) {
  int64_t to = job.committed;
  for (const auto& [executor, since] : job.unverified_since) {
    if (quarantined_.contains(executor)) to = std::min(to, since - 1);
  }
  if (to < job.committed) {
    GoBack(job, {.to = to});
  } else {
    BeginRecovery(job);
  }
}

void Core::BeginRecovery(Job& job) {
  job.at = -1;
  job.units.clear();
  job.UnitsChanged();
  Touch(job);
  job.wanted_parts.clear();
  job.began_again = false;
  for (auto& [round, checkpoint] : job.checkpoints)
    checkpoint.unusable = false;  // another attempt, another try
  SetState(job, JobState::kRecovering, Reason::kLoadingState,
           absl::StrCat("going on behind committed round ", job.committed));
  LoadNextCheckpoint(job);
}

void Core::LoadNextCheckpoint(Job& job) {
  for (auto it = job.checkpoints.rbegin(); it != job.checkpoints.rend(); ++it) {
    if (it->second.unusable || it->first > job.committed) continue;
    job.to_prepare = {.job = job.definition.id,
                      .round = it->first,
                      .source = PrepareState::Source::kCheckpoint,
                      .checkpoint_manifest = it->second.manifest};
    Survey(job, it->first);
    return;
  }
  // None is left. A job can begin again from what it began from; its records check every round.
  StatusOr<PrepareState> first = FirstState(job);
  if (!job.began_again && first.ok()) {
    job.began_again = true;
    job.to_prepare = *std::move(first);
    Survey(job, 0);
    return;
  }
  Fail(job, Reason::kStorage,
       DataLoss(
           {.message = absl::StrCat("no usable checkpoint of ", job.definition.id, " is left"),
            .where = job.definition.id,
            .remedy =
                "Start it again with dl-submit submit; its spec is shown by dl-submit inspect"}));
}

// The committed state may still be with executors. They are not asked when an epoch ended between:
// its checkpoint was being written at the end of the life before, and only computing that round
// again brings it back.
void Core::BeginReplay(Job& job) {
  const int64_t rounds = job.definition.RoundsPerEpoch();
  for (int64_t end = (job.at / rounds + 1) * rounds; end < job.committed; end += rounds) {
    if (job.LacksEpochEnd(end) && !job.checkpoints.contains(end)) {
      EndOffers(job);
      return;
    }
  }
  constexpr double kBytesPerSecond = 100e6;  // what a slow network carries
  const auto parts = static_cast<double>(job.commits.at(job.committed).names.parts.size());
  const double transfer =
      parts * static_cast<double>(job.definition.contribution_bytes) / kBytesPerSecond;
  job.phase = Phase::kOffers;
  job.offers_until = now_ + options_.recovery_grace;
  job.offers_limit = job.offers_until + Duration(static_cast<int64_t>(transfer * 1e9));
  AskForParts(job);
}

// Nobody has the whole state, or it did not come in time.
void Core::CloseOffers(Job& job) {
  if (job.phase != Phase::kOffers || came_ < job.offers_until) return;
  const StateNames& names = job.commits.at(job.committed).names;
  const bool all = std::ranges::all_of(
      names.parts, [&](const auto& part) { return job.wanted_parts.contains(part.second); });
  if (all && came_ < job.offers_limit) {
    job.offers_until = job.offers_limit;
  } else {
    EndOffers(job);
  }
}

void Core::AskForParts(Job& job) {
  const StateNames& names = job.commits.at(job.committed).names;
  for (const auto& [key, part] : names.parts) {
    if (job.wanted_parts.contains(part)) continue;
    for (auto& [id, session] : sessions_) {
      const auto& held = session.who.held_parts;
      if (std::find(held.begin(), held.end(), part) == held.end()) continue;
      session.notices.Offer(absl::StrCat(job.definition.id, "/", part));
      out_->effects.push_back(ExpectPart{job.definition.id, part});
      job.wanted_parts[part] = false;
      break;
    }
  }
}

void Core::On(const PartArrived& event) {
  Job* job = FindJob(event.job);
  if (job == nullptr || job->phase != Phase::kOffers) return;
  auto found = job->wanted_parts.find(event.sha256);
  if (found == job->wanted_parts.end()) return;
  found->second = true;
  const StateNames& names = job->commits.at(job->committed).names;
  const bool all = std::ranges::all_of(names.parts, [&](const auto& part) {
    const auto it = job->wanted_parts.find(part.second);
    return it != job->wanted_parts.end() && it->second;
  });
  if (!all) return;
  Prepare(*job, {.job = job->definition.id,
                 .round = job->committed,
                 .source = PrepareState::Source::kParts,
                 .parts = names});
}

// The committed state is not to be had: recompute it.
void Core::EndOffers(Job& job) {
  job.wanted_parts.clear();
  SetState(job, JobState::kRecovering, Reason::kReplaying, ReplayText(job));
  Advance(job);
}

std::string Core::ReplayText(const Job& job) {
  return absl::StrCat("recomputing rounds ", job.at + 1, " to ", job.committed);
}

}  // namespace dl::master
