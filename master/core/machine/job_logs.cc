#include "master/core/machine/job_logs.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "master/core/machine/machine.h"
#include "master/core/record_keys.h"
#include "master/core/records/log_record.h"

namespace dl::master {

int64_t JobLogs::AppendRecord(Job& job, const LogRecord& record) {
  LogRecord next = record;
  next.previous = job.log.head.last_sha256;
  const std::string text = RecordText(next);
  const int64_t place = job.log.head.Append(next, Sha256Hex(text));
  step_.batch().Put(keys::LogRecord(job.definition.id, place), text);
  PersistHead(job);
  return place;
}

void JobLogs::PersistHead(const Job& job) {
  step_.batch().Put(keys::LogHead(job.definition.id), RecordText(job.log.head));
}

// Persists what older versions did not record and what was found by reading the whole log.
void JobLogs::PersistNoted(Job& job) {
  if (!std::exchange(job.log.places_noted, false)) return;
  PersistHead(job);
  for (const auto& [round, checkpoint] : job.checkpoints)
    machine_.checkpoints.PersistCheckpoint(job, checkpoint);
}

void JobLogs::Survey(Job& job, int64_t round) {
  job.phase = Phase::kPreparing;
  job.preparation.number = machine_.lifecycle.NextPreparation();
  SurveyLog survey{.job = job.definition.id,
                   .number = job.preparation.number,
                   .round = round,
                   .length = job.log.head.length,
                   .last_sha256 = job.log.head.last_sha256,
                   .commits_kept = incarnation_.options.commits_kept};
  if (const auto found = job.checkpoints.find(round); found != job.checkpoints.end())
    survey.place = std::max<int64_t>(0, found->second.place);
  for (const auto& [checkpoint, info] : job.checkpoints) survey.evaluations_of.insert(checkpoint);
  step_.Do(std::move(survey));
}

void JobLogs::On(const LogSurveyed& event) {
  Job* job = jobs_.Find(event.job);
  if (job == nullptr || job->phase != Phase::kPreparing || event.number != job->preparation.number)
    return;
  const Status taken = event.status.ok() ? TakeStretch(*job, event.stretch) : event.status;
  if (job->stops()) {
    machine_.lifecycle.Stop(*job);
  } else if (!taken.ok()) {
    machine_.lifecycle.Fail(*job, Reason::kStorage, WithContext(taken, "reading the round log"));
  } else {
    DL_CHECK(job->preparation.next.has_value());
    machine_.lifecycle.Prepare(*job, *std::exchange(job->preparation.next, std::nullopt));
  }
}

Status JobLogs::TakeStretch(Job& job, const LogStretch& stretch) {
  const int64_t last = stretch.first_round + static_cast<int64_t>(stretch.places.size()) - 1;
  if (last != job.log.committed || stretch.commits.empty()) {
    return DataLoss({.message = absl::StrCat("the round log ends at round ", last, ", and round ",
                                             job.log.committed, " is committed"),
                     .where = job.definition.id});
  }
  job.log.places_from = stretch.first_round;
  job.log.places = stretch.places;
  job.log.commits.clear();
  for (const LogRecord& commit : stretch.commits) job.log.commits.emplace(commit.round, commit);
  if (job.preparation.next) {
    const auto begins = job.checkpoints.find(job.preparation.next->round);
    if (begins != job.checkpoints.end() && begins->second.evaluation)
      job.log.TakeEvaluation(*begins->second.evaluation);
  }
  for (const LogRecord& evaluation : stretch.evaluations) job.log.TakeEvaluation(evaluation);
  if (!job.log.evaluations.empty()) job.log.TakeDecision(job.log.evaluations.rbegin()->second);
  const LogHead before = job.log.head;
  job.log.head.commit = stretch.places.back();
  job.log.head.evaluation =
      job.log.evaluations.empty() ? LogHead::kNone : job.log.evaluations.rbegin()->second.place;
  if (job.log.head.commit != before.commit || job.log.head.evaluation != before.evaluation)
    PersistHead(job);
  return absl::OkStatus();
}

void JobLogs::ReadAhead(Job& job) {
  job.phase = Phase::kPreparing;
  job.preparation.number = machine_.lifecycle.NextPreparation();
  const int64_t from = job.at + 1 - job.log.places_from;
  DL_CHECK(from >= 0 && from < static_cast<int64_t>(job.log.places.size()));
  const auto begin = job.log.places.begin() + from;
  const int64_t count =
      std::min<int64_t>(incarnation_.options.commits_kept, job.log.places.end() - begin);
  step_.Do(ReadCommits{.job = job.definition.id,
                       .number = job.preparation.number,
                       .first_round = job.at + 1,
                       .places = {begin, begin + count}});
}

void JobLogs::On(const CommitsRead& event) {
  Job* job = jobs_.Find(event.job);
  if (job == nullptr || job->phase != Phase::kPreparing || event.number != job->preparation.number)
    return;
  for (const LogRecord& commit : event.commits)
    job->log.commits.insert_or_assign(commit.round, commit);
  if (job->stops()) {
    machine_.lifecycle.Finish(*job);
  } else if (!event.status.ok()) {
    machine_.lifecycle.Fail(*job, Reason::kStorage,
                            WithContext(event.status, "reading the round log"));
  } else {
    machine_.rounds.OpenNextRound(*job);
  }
}

}  // namespace dl::master
