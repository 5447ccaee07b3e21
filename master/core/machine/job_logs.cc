#include "master/core/machine/job_logs.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
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
    records_.PersistCheckpoint(job, checkpoint);
}

Status JobLogs::Restore(Job& job, const LogStretch& stretch) {
  const int64_t last = stretch.first_round + static_cast<int64_t>(stretch.places.size()) - 1;
  if (last != job.log.committed || stretch.commits.empty()) {
    return DataLoss({.message = absl::StrCat("the round log ends at round ", last, ", but round ",
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

}  // namespace dl::master
