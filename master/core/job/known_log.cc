#include "master/core/job/known_log.h"

#include <utility>

namespace dl::master {

void KnownLog::Take(JobLog log, CheckpointInfos& checkpoints) {
  *this = {.head = std::move(log.head), .committed = committed};
  for (const auto& [round, checkpoint] : checkpoints) {
    if (checkpoint.evaluation) TakeEvaluation(*checkpoint.evaluation);
  }
  for (LogRecord& record : log.records) {
    switch (record.type) {
      case RecordType::kStart:
      case RecordType::kCommit:
        committed = record.round;
        commits.insert_or_assign(record.round, std::move(record));
        break;
      case RecordType::kEvaluation:
        TakeEvaluation(std::move(record));
        break;
      case RecordType::kRebind:
        break;
      case RecordType::kRollback:
        ForgetAfter(record.round);
        break;
    }
  }
  if (log.whole) IndexCheckpoints(checkpoints);
}

void KnownLog::TakeDecision(const LogRecord& evaluation) {
  best = {evaluation.best_value, evaluation.best_round, evaluation.epochs_without_gain};
  stop_decided = evaluation.stop != 0;
  plateaus = {
      .best = {evaluation.plateau_value, evaluation.plateau_round, evaluation.plateau_epochs},
      .count = evaluation.plateaus};
}

void KnownLog::TakeEvaluation(LogRecord evaluation) {
  TakeDecision(evaluation);
  evaluation.test.DropFigures();  // once per epoch; the store has them
  const int64_t round = evaluation.round;
  evaluations.insert_or_assign(round, std::move(evaluation));
}

void KnownLog::ForgetAfter(int64_t round) {
  committed = round;
  commits.erase(commits.upper_bound(round), commits.end());
  places = {};
  evaluations.erase(evaluations.upper_bound(round), evaluations.end());
  best = {};
  stop_decided = false;
  plateaus = {};
  if (!evaluations.empty()) TakeDecision(evaluations.rbegin()->second);
}

const LogRecord* KnownLog::LastCommit() const {
  const auto found = commits.find(committed);
  return found == commits.end() ? nullptr : &found->second;
}

int64_t KnownLog::PlaceOf(int64_t round) const {
  if (const auto found = commits.find(round); found != commits.end()) return found->second.place;
  const int64_t i = round - places_from;
  return i >= 0 && i < static_cast<int64_t>(places.size()) ? places[i] : LogHead::kUnknown;
}

std::optional<LogRecord> KnownLog::EvaluationUpTo(int64_t round) const {
  const auto behind = evaluations.upper_bound(round);
  if (behind == evaluations.begin()) return std::nullopt;
  return std::prev(behind)->second;
}

void KnownLog::Trim(int64_t first, const CheckpointInfos& checkpoints, int64_t writing_checkpoint) {
  commits.erase(commits.begin(), commits.lower_bound(first));
  std::erase_if(evaluations, [&](const auto& entry) {
    const bool last = entry.first == evaluations.rbegin()->first;
    return !last && !checkpoints.contains(entry.first) && entry.first != writing_checkpoint;
  });
}

void KnownLog::Close(const CheckpointInfos& checkpoints) {
  places = {};
  // Keep the round before the last as well: late results of the last round may still arrive.
  Trim(committed - 1, checkpoints, /*writing_checkpoint=*/-1);
  if (const auto last = commits.find(committed); last != commits.end())
    last->second.epoch_train.DropFigures();
}

void KnownLog::IndexCheckpoints(CheckpointInfos& checkpoints) {
  if (committed < 0) return;
  places_noted = true;
  head.commit = commits.at(committed).place;
  head.evaluation = evaluations.empty() ? LogHead::kNone : evaluations.rbegin()->second.place;
  for (auto& [round, checkpoint] : checkpoints) {
    const auto commit = commits.find(round);
    if (checkpoint.place >= 0 || commit == commits.end()) continue;
    checkpoint.place = commit->second.place;
    checkpoint.evaluation = EvaluationUpTo(round);
  }
}

}  // namespace dl::master
