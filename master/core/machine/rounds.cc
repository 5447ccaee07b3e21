#include "master/core/machine/rounds.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace dl::master {
namespace {

constexpr size_t kVotersKept = 64;  // rounds

}  // namespace

void Rounds::CloseSettledRound(Job& job) {
  if (job.phase == Phase::kGathering && !MayClose(job)) uses_.gathering.ReopenRound(job);
  job.is_adding_up = false;
  if (job.phase != Phase::kTraining && job.phase != Phase::kEvaluating) return;
  if (!MayClose(job) || !job.AddUpTotals(incarnation_.options.values_per_step)) return;
  if (job.phase == Phase::kEvaluating) {
    if (const Status closed = uses_.evaluation.CloseEvaluation(job); closed.ok())
      uses_.lifecycle.Advance(job);
    else
      uses_.endings.Fail(job, Reason::kUnitFailed, closed);
  } else if (job.definition.IsGathered(incarnation_.options.staging_bytes)) {
    uses_.gathering.BeginGather(job);
  } else {
    job.grid = job.totals.grid();
    uses_.gathering.BeginMerge(job);
  }
}

bool Rounds::MayClose(const Job& job) {
  if (job.phase == Phase::kEvaluating) return job.unit_index.AllSettled();
  return job.definition.strategy->CanClose(job.unit_index.settled(),
                                           static_cast<int64_t>(job.units.size()));
}

void Rounds::On(const RoundMerged& event) {
  Job* job = jobs_.Find(event.job);
  if (job == nullptr || job->phase != Phase::kMerging || event.merge != job->merge) return;
  const std::string what = absl::StrCat("merging round ", event.round);
  if (uses_.lifecycle.LacksResources(*job, event.status, what)) {
    if (!incarnation_.stopping) uses_.gathering.BeginMerge(*job);
    return;
  }
  if (!event.status.ok()) {
    // InvalidArgument means that the announced numbers are finite but the resulting state is not.
    const bool numbers = absl::IsInvalidArgument(event.status);
    uses_.endings.Fail(*job, numbers ? Reason::kNotFinite : Reason::kStorage,
                       WithContext(event.status, what));
    return;
  }
  job->counts.traffic += event.traffic;
  ++job->counts.merged_rounds;
  Commit(*job, event);
}

// An executor announced wrong examples. The epoch is computed again with every unit computed twice.
// If the sum is wrong again, no executor is at fault and the job FAILS.
void Rounds::RecheckEpoch(Job& job, int64_t round, uint64_t sum) {
  const int64_t epoch = job.definition.EpochOf(round);
  const std::string what = absl::StrCat(
      "epoch ", epoch + 1, " did not train every example exactly once: its examples sum to ", sum,
      ", but those of the dataset to ", job.definition.example_hash_sum);
  if (job.attestations.rechecked_epoch == epoch) {
    uses_.endings.Fail(
        job, Reason::kExampleSum,
        Internal(
            {.message = what,
             .where = job.definition.id,
             .remedy = "This is a bug of Paravane; please report it with the job's round log"}));
    return;
  }
  job.attestations.rechecked_epoch = epoch;
  job.attestations.verify_until = round;
  const int64_t before = epoch * job.definition.RoundsPerEpoch();
  if (before < job.log.committed) {
    uses_.rollbacks.RollBack(job, {.to = before, .why = what});
    return;
  }
  step_.Warn(job, what + "; the epoch is computed again");
  uses_.opening.OpenNextRound(job);
}

// Records which executors computed the results of the round.
void Rounds::RecordVoters(Job& job, int64_t round) {
  auto& voters = job.attestations.voters[round];
  voters.clear();
  voters.reserve(job.units.size());
  for (const auto& [worker, unit] : job.units) {
    for (const UnitResult& r : unit.results) {
      if (r.digest == unit.result.digest) voters.emplace_back(worker, r.executor);
    }
  }
  uses_.trust.RecordConfirmations(job, round);
  while (job.attestations.voters.size() > kVotersKept)
    job.attestations.voters.erase(job.attestations.voters.begin());
}

// Whether a committed round may contain sums that were not opened.
bool Rounds::MayRestOnSums(const Job& job, int64_t round) const {
  return job.definition.IsGathered(incarnation_.options.staging_bytes) &&
         std::any_of(job.attestations.unverified_first.begin(),
                     job.attestations.unverified_first.end(),
                     [&](const auto& entry) { return entry.second <= round; });
}

void Rounds::Commit(Job& job, const RoundMerged& merged) {
  const StateNames& names = merged.names;
  const int64_t round = job.at + 1;
  LogRecord record{
      .type = RecordType::kCommit, .round = round, .names = names, .exponents = job.grid};
  record.plateaus = job.plateaus;
  const bool new_epoch = job.definition.RoundInEpoch(round) == 0;
  record.epoch_hash_sum = new_epoch ? 0 : job.epoch_hash_sum;
  record.epoch_train = new_epoch ? nn::MetricSums() : job.epoch_train;
  int64_t examples = 0;
  for (const auto& [worker, unit] : job.units) {
    record.units.push_back({worker, unit.result.digest, unit.examples});
    record.epoch_hash_sum += unit.result.example_hash_sum;
    examples += unit.examples;
  }
  const StatusOr<nn::MetricSums>& metrics = job.totals.metrics();
  Status added = metrics.ok() ? record.epoch_train.Merge(*metrics) : metrics.status();
  if (!added.ok()) {
    uses_.endings.Fail(job, Reason::kUnitFailed,
                       WithContext(added, absl::StrCat("adding up the metrics of round ", round)));
    return;
  }
  if (job.replaying()) {
    const LogRecord& known = job.log.commits.at(round);
    if (known.names != names && MayRestOnSums(job, round)) {
      uses_.rollbacks.RollBack(
          job, {.to = round - 1,
                .why = absl::StrCat("round ", round,
                                    " was made of partial sums that the master did not "
                                    "verify, and its contributions give another state")});
      return;
    }
    if (known.names != names) {
      uses_.endings.Fail(
          job, Reason::kReplayMismatch,
          DataLoss({.message = absl::StrCat("recomputing round ", round, " gave state ",
                                            names.state_sha256, ", but its commit has ",
                                            known.names.state_sha256),
                    .where = job.definition.id,
                    .remedy = "A CPU, a disk or memory returns other bits than before: test the "
                              "machines, then resume"}));
      return;
    }
    ++job.counts.replayed_rounds;
  } else {
    if (job.definition.EndsEpoch(round) &&
        record.epoch_hash_sum != job.definition.example_hash_sum) {
      RecheckEpoch(job, round, record.epoch_hash_sum);
      return;
    }
    RecordVoters(job, round);
    record.place = uses_.logs.AppendRecord(job, record);
    uses_.series.RecordRound(
        job, {.commit = record, .examples = examples, .metrics = *metrics, .merged = merged});
    uses_.timeline.RecordTraining(job, round);
    job.log.commits.emplace(round, record);
    job.log.committed = round;
    job.counts.examples += examples;
    records_.PersistJob(job);  // persists the running time so far
  }
  job.at = round;
  job.names = names;
  job.epoch_hash_sum = record.epoch_hash_sum;
  job.epoch_train = record.epoch_train;
  open_units_.Drop(job);
  job.TrimLog(incarnation_.options.commits_kept);
  uses_.lifecycle.PublishState(job);
  for (auto& [id, session] : fleet_.sessions()) session.notices.Committed(job.definition.id, round);

  const double wall_seconds = records_.WallSeconds(job);
  step_.EmitEvent(
      job,
      RoundEvent{.round = round,
                 .rounds = job.definition.TotalRounds(),
                 .epoch = job.definition.EpochOf(round) + 1,
                 .examples = job.ExamplesUpTo(round),
                 .train = MakeMetricsView(job.epoch_train),
                 .examples_per_second =
                     wall_seconds > 0
                         ? static_cast<double>(job.ExamplesUpTo(job.log.committed)) / wall_seconds
                         : 0.0,
                 .replayed = job.replaying() || job.record.state == JobState::kRecovering});

  if (!job.replaying() && job.record.state == JobState::kRecovering) {
    records_.SetState(job, JobState::kRunning, Reason::kNone, "");
  }
  const CheckpointPolicy& policy = job.definition.checkpoint;
  if (policy.every_rounds > 0 && round % policy.every_rounds == 0)
    uses_.checkpoints.RequestCheckpoint(job);
  uses_.lifecycle.Advance(job);
}

}  // namespace dl::master
