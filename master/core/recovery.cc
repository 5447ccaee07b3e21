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
  Job& job = jobs_[id];
  job.unverified_since = std::move(recovered.unverified_since);
  job.damage = std::move(recovered.damage);
  job.definition = std::move(recovered.definition);
  job.record = std::move(recovered.record);
  if (!job.damage.ok()) {
    WriteLog(absl::StrCat(id, " is damaged: ", DescribeError(job.damage)));
    return;
  }
  for (CheckpointInfo& checkpoint : recovered.checkpoints) {
    const int64_t round = checkpoint.round;
    job.checkpoints.emplace(round, std::move(checkpoint));
  }
  const bool whole = static_cast<int64_t>(recovered.log.records.size()) == recovered.log.length;
  TakeLog(job, std::move(recovered.log));
  if (job.committed >= 0) {
    job.epoch_train = job.commits.at(job.committed).epoch_train;
    job.names = job.commits.at(job.committed).names;
  }
  job.started_at = now_;
  job.last_checkpoint_at = now_;
  if (IsTerminal(job.record.state)) {
    job.at = job.committed;
    if (whole) CloseLog(job);
    return;
  }
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

void Core::TakeLog(Job& job, JobLog log) {
  job.log_length = log.length;
  job.last_record_sha256 = std::move(log.last_sha256);
  job.commits.clear();
  job.evaluations.clear();
  job.best = {};
  job.stop_decided = false;
  for (LogRecord& record : log.records) {
    switch (record.type) {
      case RecordType::kStart:
      case RecordType::kCommit:
        job.committed = record.round;
        if (record.type == RecordType::kStart) job.logged_contract = record.contract;
        job.commits.emplace(record.round, std::move(record));
        break;
      case RecordType::kEvaluation:
        job.TakeDecision(record);
        record.test.DropConfusion();
        job.evaluations.emplace(record.round, std::move(record));
        break;
      case RecordType::kRebind:
        job.logged_contract = record.contract;
        break;
      case RecordType::kRollback:
        job.ForgetLogBehind(record.round);
        break;
    }
  }
}

// Of a job that ended only the end of its log is needed, until it is resumed: neither the memory of
// a master nor the time that it takes to start grow with all the rounds that it has ever seen.
void Core::CloseLog(Job& job) {
  if (job.committed < 0) return;
  // The one before the last, too: results of the last round may still come.
  job.commits.erase(job.commits.begin(), job.commits.lower_bound(job.committed - 1));
  job.commits.at(job.committed).epoch_train.DropConfusion();
  std::erase_if(job.evaluations, [&](const auto& entry) {
    const bool last = entry.first == job.evaluations.rbegin()->first;
    return !last && !job.checkpoints.contains(entry.first);
  });
  JobLog end{.length = job.log_length, .last_sha256 = job.last_record_sha256};
  end.records.push_back(job.commits.at(job.committed));
  for (const auto& [round, evaluation] : job.evaluations) end.records.push_back(evaluation);
  out_->batch.Put(keys::Ended(job.definition.id), JsonText(ToJson(end)));
}

void Core::BeginRecovery(Job& job) {
  job.at = -1;
  job.units.clear();
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
    Prepare(job, {.job = job.definition.id,
                  .round = it->first,
                  .source = PrepareState::Source::kCheckpoint,
                  .checkpoint_manifest = it->second.manifest});
    return;
  }
  // None is left. A job can begin again from what it began from; its records check every round.
  StatusOr<PrepareState> first = FirstState(job);
  if (!job.began_again && first.ok()) {
    job.began_again = true;
    Prepare(job, *std::move(first));
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
  const auto parts =
      static_cast<double>(1 + job.commits.at(job.committed).names.worker_sha256.size());
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
  const auto offered = [&](const std::string& part) { return job.wanted_parts.contains(part); };
  const bool all = offered(names.global_sha256) &&
                   std::all_of(names.worker_sha256.begin(), names.worker_sha256.end(), offered);
  if (all && came_ < job.offers_limit) {
    job.offers_until = job.offers_limit;
  } else {
    EndOffers(job);
  }
}

void Core::AskForParts(Job& job) {
  const StateNames& names = job.commits.at(job.committed).names;
  std::vector<std::string> parts = {names.global_sha256};
  parts.insert(parts.end(), names.worker_sha256.begin(), names.worker_sha256.end());
  for (const std::string& part : parts) {
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
  const auto arrived = [&](const std::string& part) {
    auto it = job->wanted_parts.find(part);
    return it != job->wanted_parts.end() && it->second;
  };
  if (!arrived(names.global_sha256) ||
      !std::all_of(names.worker_sha256.begin(), names.worker_sha256.end(), arrived)) {
    return;
  }
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
