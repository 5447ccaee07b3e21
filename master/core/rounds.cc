// A round: open, accept results, merge, commit.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "master/core/core.h"
#include "master/core/verify_sample.h"

namespace dl::master {
namespace {

constexpr size_t kVotersKept = 64;  // rounds

}  // namespace

void Core::OpenNextRound(Job& job) {
  const int64_t round = job.at + 1;
  if (job.replaying() && !job.commits.contains(round)) return ReadAhead(job);
  const dataset::RoundPlan plan =
      dataset::PlanRound(job.definition.plan, job.definition.RoundInEpoch(round));
  job.phase = Phase::kTraining;
  job.units.clear();
  OpenRound open{job.definition.id, round, {}};
  for (int32_t worker = 0; worker < static_cast<int32_t>(plan.workers.size()); ++worker) {
    const dataset::UnitPlan& unit = plan.workers[worker];
    open.weights.push_back(unit.range.examples);
    if (unit.steps == 0) continue;
    job.units.emplace(worker,
                      Unit({.id = {job.definition.id, UnitKind::kTrain, round, worker},
                            .examples = unit.range.examples,
                            .steps = unit.steps,
                            .verify = round <= job.verify_until ||
                                      (options_.verify_sample &&
                                       UnitIsSampled(job.definition, secret_, round, worker)),
                            .deciders = &job.definition.verify_executors}));
  }
  job.UnitsChanged();
  TouchUnits(job);
  out_->effects.push_back(std::move(open));
  PreferHolders(job, round);
  TakeVotes(job, round);
}

// What is said of the round's units before anybody computes them: by its commit, when it is
// computed again, and by those whose disagreement opened it again.
void Core::TakeVotes(Job& job, int64_t round) {
  const auto commit = job.commits.find(round);
  if (commit != job.commits.end()) {
    for (const CommittedUnit& unit : commit->second.units) {
      const auto found = job.units.find(unit.worker);
      if (found == job.units.end()) continue;
      found->second.results.push_back(
          {.executor = std::string(kCommitted), .digest = unit.hash, .of_the_past = true});
    }
  }
  for (const auto& [id, votes] : std::exchange(job.votes, {})) {
    Unit* unit = FindOpenUnit(job, id);
    if (unit == nullptr) {
      if (id.round > round) job.votes.emplace(id, votes);
      continue;
    }
    unit->results.insert(unit->results.end(), votes.begin(), votes.end());
    std::erase_if(unit->results,
                  [&](const UnitResult& r) { return quarantined_.contains(r.executor); });
    if (!unit->disputed()) continue;
    OpenDispute(job, *unit);
    (void)SettleDispute(job, *unit);
    if (job.phase != Phase::kTraining) return;  // who lost it had given more
  }
}

// The life before may have had results of this round: who still has one need only send it.
void Core::PreferHolders(Job& job, int64_t round) {
  for (const auto& [id, session] : sessions_) {
    for (const rpc::HeldContribution& held : session.who.held_contributions) {
      if (held.unit.job != job.definition.id || held.unit.round != round) continue;
      if (held.unit.kind == UnitKind::kTrain && job.units.contains(held.unit.index)) {
        job.SetHome(held.unit.index, session.who.executor);
      }
    }
  }
}

// Whatever settled the last unit: a result, its bytes, or a quarantine that another job brought.
void Core::CloseWhatIsSettled(Job& job) {
  if (job.phase == Phase::kGathering && !MayClose(job)) ReopenRound(job);
  if (job.phase != Phase::kTraining && job.phase != Phase::kEvaluating) return;
  if (!MayClose(job)) return;
  if (job.phase == Phase::kEvaluating) {
    CloseEvaluation(job);
  } else if (job.definition.IsGathered(options_.staging_bytes)) {
    BeginGather(job);
  } else {
    job.grid = GridOf(job);
    BeginMerge(job);
  }
}

bool Core::MayClose(const Job& job) {
  if (job.phase == Phase::kEvaluating) return job.board.AllSettled();
  return job.definition.strategy->MayClose(job.board.settled(),
                                           static_cast<int64_t>(job.units.size()));
}

averaging::GridExponents Core::GridOf(const Job& job) {
  averaging::GridExponents grid = job.definition.strategy->EmptyGrid();
  for (const auto& [worker, unit] : job.units)
    job.definition.strategy->Raise(grid, unit.result.magnitudes);
  return grid;
}

// REQUIRES: everything of the round is staged, and the job's grid is its.
void Core::BeginMerge(Job& job) {
  job.merge = next_merge_++;
  Merge merge{.job = job.definition.id,
              .round = job.at + 1,
              .number = job.merge,
              .exponents = job.grid,
              .gathered = job.definition.IsGathered(options_.staging_bytes)};
  for (const auto& [worker, unit] : job.units) merge.inputs.push_back({worker, unit.result.hash});
  job.phase = Phase::kMerging;
  AbandonUnits(job);
  out_->effects.push_back(std::move(merge));
}

// What was merged, or gathered to be merged, may not be what the round is made of.
void Core::ReopenRound(Job& job) {
  if (job.phase != Phase::kMerging && job.phase != Phase::kGathering) return;
  if (job.phase == Phase::kGathering) CancelGathers(job);
  job.phase = Phase::kTraining;
  Touch(job);
}

// Nobody's work on the open units is needed any more: the next heartbeats tell who is at them.
void Core::AbandonUnits(Job& job) {
  for (auto& [index, unit] : job.units) unit.leases.clear();
  TouchUnits(job);
}

void Core::On(const RoundMerged& event) {
  Job* job = FindJob(event.job);
  if (job == nullptr || job->phase != Phase::kMerging || event.merge != job->merge) return;
  if (!event.status.ok()) {
    Fail(*job, Reason::kStorage,
         WithContext(event.status, absl::StrCat("merging round ", event.round)));
    return;
  }
  Commit(*job, event.names);
}

// Somebody said of its examples what is not so. The epoch is computed again, every unit of it
// twice; when it does not add up then either, it is not the executors.
void Core::RecheckEpoch(Job& job, int64_t round, uint64_t sum) {
  const int64_t epoch = job.definition.EpochOf(round);
  const std::string what = absl::StrCat(
      "epoch ", epoch + 1, " did not train every example exactly once: its examples sum to ", sum,
      ", the dataset to ", job.definition.example_hash_sum);
  if (job.rechecked_epoch == epoch) {
    Fail(job, Reason::kExampleSum,
         Internal(
             {.message = what,
              .where = job.definition.id,
              .remedy = "This is a bug of Paravane; please report it with the job's round log"}));
    return;
  }
  job.rechecked_epoch = epoch;
  job.verify_until = round;
  const int64_t before = epoch * job.definition.RoundsPerEpoch();
  if (before < job.committed) {
    GoBack(job, {.to = before, .why = what});
    return;
  }
  EmitEvent(job, {{"type", "warning"}, {"message", what + "; it is computed again"}});
  OpenNextRound(job);
}

// Who gave what the round is made of.
void Core::NoteVoters(Job& job, int64_t round) {
  auto& voters = job.voters[round];
  for (const auto& [worker, unit] : job.units) {
    NoteUnverified(job, unit, round);
    for (const UnitResult& r : unit.results) {
      if (r.digest == unit.result.digest) voters[worker].push_back(r.executor);
    }
  }
  NoteUnopened(job, round);
  PersistUnverified(job);
  while (job.voters.size() > kVotersKept) job.voters.erase(job.voters.begin());
}

// Whether a committed round may be made of sums that rest on their senders' word alone.
bool Core::MayRestOnSums(const Job& job, int64_t round) const {
  return job.definition.IsGathered(options_.staging_bytes) &&
         std::any_of(job.unverified_since.begin(), job.unverified_since.end(),
                     [&](const auto& entry) { return entry.second <= round; });
}

void Core::Commit(Job& job, const StateNames& names) {
  const int64_t round = job.at + 1;
  LogRecord record{
      .type = RecordType::kCommit, .round = round, .names = names, .exponents = job.grid};
  const bool new_epoch = job.definition.RoundInEpoch(round) == 0;
  record.epoch_hash_sum = new_epoch ? 0 : job.epoch_hash_sum;
  record.epoch_train = new_epoch ? nn::MetricSums() : job.epoch_train;
  int64_t examples = 0;
  for (const auto& [worker, unit] : job.units) {
    record.units.push_back({worker, unit.result.digest, unit.examples});
    record.epoch_hash_sum += unit.result.example_hash_sum;
    examples += unit.examples;
    if (Status status = record.epoch_train.Merge(unit.result.metrics); !status.ok()) {
      Fail(job, Reason::kUnitFailed,
           WithContext(status, absl::StrCat("adding up the metrics of round ", round)));
      return;
    }
  }
  if (job.replaying()) {
    const LogRecord& known = job.commits.at(round);
    if (known.names != names && MayRestOnSums(job, round)) {
      GoBack(job, {.to = round - 1,
                   .why = absl::StrCat("round ", round,
                                       " was made of sums that nobody opened, and "
                                       "its contributions one by one give another state")});
      return;
    }
    if (known.names != names) {
      Fail(job, Reason::kReplayMismatch,
           DataLoss({.message = absl::StrCat("recomputing round ", round, " gave state ",
                                             names.state_sha256, ", its commit says ",
                                             known.names.state_sha256),
                     .where = job.definition.id,
                     .remedy = "A kernel, a disk or memory is not what it was: check the machines, "
                               "then resume"}));
      return;
    }
    ++job.replayed_rounds;
  } else {
    if (job.definition.EndsEpoch(round) &&
        record.epoch_hash_sum != job.definition.example_hash_sum) {
      RecheckEpoch(job, round, record.epoch_hash_sum);
      return;
    }
    NoteVoters(job, round);
    record.place = AppendRecord(job, record);
    job.commits.emplace(round, record);
    job.committed = round;
    job.examples_this_life += examples;
    PersistJob(job);  // the time that it took so far
  }
  job.at = round;
  job.names = names;
  job.epoch_hash_sum = record.epoch_hash_sum;
  job.epoch_train = record.epoch_train;
  job.units.clear();
  job.UnitsChanged();
  Touch(job);
  job.TrimLog(options_.commits_kept);
  PublishState(job);
  for (auto& [id, session] : sessions_) session.notices.Committed(job.definition.id, round);

  Json event = {
      {"type", "round"},
      {"round", round},
      {"rounds", job.definition.TotalRounds()},
      {"epoch", job.definition.EpochOf(round) + 1},
      {"examples", job.ExamplesUpTo(round)},
      {"train", {{"loss", job.epoch_train.loss()}}},
      {"examples_per_second",
       WallSeconds(job) > 0 ? static_cast<double>(job.ExamplesTrained()) / WallSeconds(job) : 0.0}};
  if (job.epoch_train.has_accuracy()) event["train"]["accuracy"] = job.epoch_train.accuracy();
  if (job.replaying() || job.record.state == JobState::kRecovering) event["replayed"] = true;
  EmitEvent(job, std::move(event));

  if (!job.replaying() && job.record.state == JobState::kRecovering) {
    SetState(job, JobState::kRunning, Reason::kNone, "");
  }
  const CheckpointPolicy& policy = job.definition.checkpoint;
  if (policy.every_rounds > 0 && round % policy.every_rounds == 0) RequestCheckpoint(job);
  Advance(job);
}

}  // namespace dl::master
