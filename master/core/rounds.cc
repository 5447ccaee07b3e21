// A round: open, accept results, merge, commit.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/philox.h"
#include "master/core/core.h"

namespace dl::master {
namespace {

constexpr size_t kDurationsKept = 64;

// The sample of units that are computed twice: a function of the job alone.
bool IsSampled(const JobDefinition& definition, int64_t round, int32_t worker) {
  if (definition.verify_fraction <= 0) return false;
  RandomStream stream({.seed = definition.seed,
                       .purpose = RandomPurpose::kVerifySample,
                       .a = static_cast<uint64_t>(round),
                       .b = static_cast<uint64_t>(worker)});
  return stream.NextDouble() < definition.verify_fraction;
}

}  // namespace

void Core::OpenNextRound(Job& job) {
  const int64_t round = job.at + 1;
  const dataset::RoundPlan plan =
      dataset::PlanRound(job.definition.plan, job.definition.RoundInEpoch(round));
  job.phase = Phase::kTraining;
  job.units.clear();
  OpenRound open{job.definition.id, round, {}};
  for (int32_t worker = 0; worker < static_cast<int32_t>(plan.workers.size()); ++worker) {
    const dataset::UnitPlan& unit = plan.workers[worker];
    open.weights.push_back(unit.range.examples);
    if (unit.steps == 0) continue;
    job.units.emplace(worker, Unit({.id = {job.definition.id, UnitKind::kTrain, round, worker},
                                    .examples = unit.range.examples,
                                    .steps = unit.steps,
                                    .verify = options_.verify_sample &&
                                              IsSampled(job.definition, round, worker)}));
  }
  out_->effects.push_back(std::move(open));
  PreferHolders(job, round);
}

// The life before may have had results of this round: who still has one need only send it.
void Core::PreferHolders(Job& job, int64_t round) {
  for (const auto& [id, session] : sessions_) {
    for (const rpc::HeldContribution& held : session.who.held_contributions) {
      if (held.unit.job != job.definition.id || held.unit.round != round) continue;
      if (held.unit.kind == UnitKind::kTrain && job.units.contains(held.unit.index)) {
        job.last_executor[held.unit.index] = session.who.executor;
      }
    }
  }
}

void Core::On(const Asked<rpc::AnnounceRequest>& event) {
  const rpc::AnnounceRequest& request = event.request;
  Session* session = FindSession(request.session);
  if (session == nullptr) {
    AnswerWith(event.token,
               Aborted({.message = "the session is over", .remedy = "Register again"}));
    return;
  }
  Job* job = FindJob(request.unit.job);
  if (job != nullptr && request.spec_sha256 != job->definition.spec_sha256) {
    // Of a job that had this name under another data folder, or before this one went back.
    AnswerWith(event.token, absl::OkStatus(), rpc::AnnounceReply{rpc::Verdict::kUnwanted});
    return;
  }
  if (job != nullptr && (job->phase == Phase::kPreparing || job->phase == Phase::kOffers)) {
    AnswerWith(event.token, Unavailable({.message = "the job's state is being loaded",
                                         .remedy = "Announce it again"}));
    return;
  }
  Unit* unit = nullptr;
  if (job != nullptr && (job->phase == Phase::kTraining || job->phase == Phase::kEvaluating)) {
    auto found = job->units.find(request.unit.index);
    if (found != job->units.end() && found->second.id == request.unit) unit = &found->second;
  }
  // Content decides, not the lease: a result of the open round from the right base is good however
  // late it comes.
  if (unit == nullptr || request.base_sha256 != job->names.global_sha256 ||
      session->who.contract != job->record.contract ||
      quarantined_.contains(session->who.executor)) {
    if (unit == nullptr && job != nullptr) CompareWithCommit(*job, *session, request);
    AnswerWith(event.token, absl::OkStatus(), rpc::AnnounceReply{rpc::Verdict::kUnwanted});
    return;
  }
  const bool training = request.unit.kind == UnitKind::kTrain;
  const bool fits =
      training
          ? request.examples == unit->examples && request.steps == unit->steps &&
                request.bytes == job->definition.contribution_bytes &&
                static_cast<int64_t>(request.magnitudes.size()) == job->definition.merged_segments
          : request.examples == unit->examples && request.hash == Xxh3(request.metrics);
  const bool finite = std::all_of(request.magnitudes.begin(), request.magnitudes.end(),
                                  [](double m) { return std::isfinite(m) && m >= 0; });
  auto metrics_json = ParseJson(request.metrics, "metrics of " + ToString(request.unit));
  auto metrics = metrics_json.ok() ? nn::MetricSums::FromJson(*metrics_json, "metrics")
                                   : metrics_json.status();
  if (!fits || !finite || !metrics.ok() || metrics->examples() != unit->examples) {
    const Status error = InvalidArgument({.message = "an announcement does not fit its unit's plan",
                                          .where = ToString(request.unit)});
    AnswerWith(event.token, error);
    NoteFailure(*job, *unit, *session,
                {.lease = request.lease,
                 .code = std::string(ErrorCodeName(error.code())),
                 .message = std::string(error.message()),
                 .where = ErrorWhere(error)});
    return;
  }
  const rpc::Verdict verdict = Accept(*job, *unit, request);
  AnswerWith(event.token, absl::OkStatus(), rpc::AnnounceReply{verdict});
}

// A result that comes behind its round's commit is of no use any more, but says whether two
// executors agree.
void Core::CompareWithCommit(Job& job, const Session& session,
                             const rpc::AnnounceRequest& request) {
  const auto commit = job.commits.find(request.unit.round);
  const auto base = job.commits.find(request.unit.round - 1);
  if (request.unit.kind != UnitKind::kTrain || commit == job.commits.end() ||
      base == job.commits.end() || base->second.names.global_sha256 != request.base_sha256 ||
      session.who.contract != job.record.contract) {
    return;
  }
  for (const CommittedUnit& unit : commit->second.units) {
    if (unit.worker != request.unit.index) continue;
    if (unit.hash == request.hash) {
      ++job.duplicate_results;
    } else {
      EmitEvent(job, {{"type", "warning"},
                      {"message",
                       absl::StrCat("executor ", session.who.executor,
                                    " came late with a result of unit ", ToString(request.unit),
                                    " that differs from the committed one: a kernel, a "
                                    "disk or memory is not what it should be")}});
    }
  }
}

rpc::Verdict Core::Accept(Job& job, Unit& unit, const rpc::AnnounceRequest& request) {
  const Session& session = *FindSession(request.session);
  for (const UnitLease& lease : unit.leases) {
    if (lease.lease != request.lease) continue;
    if (job.durations_s.size() >= kDurationsKept) job.durations_s.erase(job.durations_s.begin());
    job.durations_s.push_back(Seconds(now_ - lease.granted));
  }
  unit.EndLeasesOf(session.who.executor);
  const bool disputed_before = unit.disputed();
  const Unit::Meaning meaning = unit.Record({.session = request.session,
                                             .lease = request.lease,
                                             .executor = session.who.executor,
                                             .hash = request.hash});
  const bool evaluation = request.unit.kind == UnitKind::kEvaluate;
  const auto accept = [&] {
    if (unit.AwaitsBytes()) out_->effects.push_back(DropContribution{unit.id, unit.result.hash});
    unit.accepted = true;
    unit.result = {.hash = request.hash,
                   .holder = request.session,
                   .at = now_,
                   .staged = evaluation,
                   .deliver_by = now_ + job.definition.lease,
                   .worker_sha256 = request.worker_sha256,
                   .example_hash_sum = request.example_hash_sum,
                   .metrics = request.metrics,
                   .magnitudes = request.magnitudes};
    if (evaluation) return rpc::Verdict::kDone;
    out_->effects.push_back(
        ExpectContribution{unit.id, request.hash, request.bytes, request.magnitudes});
    return rpc::Verdict::kSend;
  };
  rpc::Verdict verdict = rpc::Verdict::kUnwanted;
  switch (meaning) {
    case Unit::Meaning::kFirst:
      verdict = accept();
      break;
    case Unit::Meaning::kRepeated:
      if (evaluation) {
        verdict = rpc::Verdict::kDone;
      } else if (!unit.result.staged) {
        verdict = rpc::Verdict::kSend;
      }
      break;
    case Unit::Meaning::kSame:
      ++job.duplicate_results;
      break;
    case Unit::Meaning::kDifferent: {
      if (!disputed_before) {
        job.dispute_since = now_;
        EmitEvent(job,
                  {{"type", "warning"},
                   {"message", absl::StrCat("two executors computed different results of unit ",
                                            ToString(unit.id), "; a third one decides")}});
      }
      const std::optional<uint64_t> majority = SettleDispute(job, unit);
      if (majority == request.hash && !unit.accepted &&
          !quarantined_.contains(session.who.executor)) {
        verdict = accept();
      } else if (unit.AwaitsBytes() && unit.result.holder == request.session &&
                 unit.result.hash == request.hash) {
        verdict =
            rpc::Verdict::kSend;  // the holder says it again; a third opinion may prove it right
      }
      break;
    }
  }
  // Others that compute the same unit need not go on once nothing more is wanted of it.
  if (!unit.WantsResult()) {
    for (const UnitLease& lease : unit.leases) {
      if (Session* other = FindSession(lease.session)) other->pending.abandon.push_back(unit.id);
    }
  }
  return verdict;
}

void Core::On(const ContributionStaged& event) {
  Job* job = FindJob(event.unit.job);
  if (job == nullptr || job->phase != Phase::kTraining) return;
  auto found = job->units.find(event.unit.index);
  if (found == job->units.end() || found->second.id != event.unit) return;
  Unit& unit = found->second;
  if (!unit.accepted || unit.result.hash != event.hash) return;
  // What a lost session sent was dropped with it; the same bytes are expected from another one now.
  if (event.session != unit.result.holder) return;
  unit.result.staged = true;
}

// What the holder sent is not what it announced: its memory, or something between, changes bits.
// Others may do better.
void Core::On(const ContributionRefused& event) {
  Job* job = FindJob(event.unit.job);
  const Session* session = FindSession(event.session);
  if (job == nullptr || session == nullptr || job->phase != Phase::kTraining) return;
  auto found = job->units.find(event.unit.index);
  if (found == job->units.end() || found->second.id != event.unit) return;
  Unit& unit = found->second;
  if (!unit.AwaitsBytes() || unit.result.hash != event.hash || unit.result.holder != session->id)
    return;
  out_->effects.push_back(DropContribution{unit.id, unit.result.hash});
  unit.accepted = false;
  unit.result = {};
  NoteFailure(*job, unit, *session,
              {.code = std::string(ErrorCodeName(event.status.code())),
               .message = std::string(event.status.message()),
               .where = ErrorWhere(event.status),
               .remedy = "Check the memory of the machine of executor " + session->who.executor});
}

// Whatever settled the last unit: a result, its bytes, or a quarantine that another job brought.
void Core::CloseWhatIsSettled(Job& job) {
  if (job.phase != Phase::kTraining && job.phase != Phase::kEvaluating) return;
  if (!job.AllSettled()) return;
  if (job.phase == Phase::kTraining) {
    BeginMerge(job);
  } else {
    CloseEvaluation(job);
  }
}

void Core::BeginMerge(Job& job) {
  Merge merge{job.definition.id,
              job.at + 1,
              {},
              averaging::GridExponents(job.definition.merged_segments, averaging::kZeroSegment)};
  for (const auto& [worker, unit] : job.units) {
    merge.inputs.push_back({worker, unit.result.hash});
    averaging::RaiseGrid(merge.exponents, unit.result.magnitudes);
  }
  job.grid = merge.exponents;
  job.phase = Phase::kMerging;
  AbandonUnits(job);
  out_->effects.push_back(std::move(merge));
}

// Nobody's work on the open units is needed any more.
void Core::AbandonUnits(Job& job) {
  for (auto& [index, unit] : job.units) {
    for (const UnitLease& lease : unit.leases) {
      if (Session* session = FindSession(lease.session))
        session->pending.abandon.push_back(unit.id);
    }
    unit.leases.clear();
  }
}

void Core::On(const RoundMerged& event) {
  Job* job = FindJob(event.job);
  if (job == nullptr || job->phase != Phase::kMerging || event.round != job->at + 1) return;
  if (!event.status.ok()) {
    Fail(*job, Reason::kStorage,
         WithContext(event.status, absl::StrCat("merging round ", event.round)));
    return;
  }
  Commit(*job, event.names);
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
    record.units.push_back({worker, unit.result.hash, unit.examples});
    record.epoch_hash_sum += unit.result.example_hash_sum;
    examples += unit.examples;
    auto metrics = nn::MetricSums::FromJson(*ParseJson(unit.result.metrics, "metrics"), "metrics");
    DL_CHECK(metrics.ok());  // parsed before it was accepted
    if (Status status = record.epoch_train.Merge(*metrics); !status.ok()) {
      Fail(job, Reason::kUnitFailed,
           WithContext(status, absl::StrCat("adding up the metrics of round ", round)));
      return;
    }
  }
  if (job.replaying()) {
    const LogRecord& known = job.commits.at(round);
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
      Fail(job, Reason::kExampleSum,
           Internal(
               {.message = absl::StrCat(
                    "epoch ", job.definition.EpochOf(round) + 1,
                    " did not train every example exactly once: its examples sum to ",
                    record.epoch_hash_sum, ", the dataset to ", job.definition.example_hash_sum),
                .where = job.definition.id,
                .remedy = "This is a bug of Paravane; please report it with the job's round log"}));
      return;
    }
    AppendRecord(job, record);
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
  PublishState(job);
  for (auto& [id, session] : sessions_) Notice(session, job.definition.id, round);

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
