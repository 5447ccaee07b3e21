// What the core knows of a job's round log: where it ends, what counts of it, and the few records
// that are in memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "master/core/job/checkpoint_info.h"
#include "master/core/job/early_stopping.h"
#include "master/core/job/plateau.h"
#include "master/core/job/round_log.h"

namespace dl::master {

struct KnownLog {
  LogHead head;
  bool places_noted = false;  // found in the whole log: still to be stored
  int64_t committed = -1;     // last committed round; -1 before the start record
  // Start and commit records by round: the last ones, and of those that are to be computed again
  // the next ones, which replay compares with.
  std::map<int64_t, LogRecord> commits;
  // Where commits lie that are to be computed again: of rounds places_from, places_from + 1, ...
  std::vector<int64_t> places;
  int64_t places_from = 0;
  std::map<int64_t, LogRecord> evaluations;  // by round: of checkpoints, and the last one
  BestSoFar best;
  bool stop_decided = false;
  Plateaus plateaus;

  // What was read of it.
  void Take(JobLog log, CheckpointInfos& checkpoints);
  void TakeDecision(const LogRecord& evaluation);  // what the evaluation's record says of stopping
  void TakeEvaluation(LogRecord evaluation);       // the last one so far
  // Rounds behind this one do not count: what the log said of them is forgotten.
  void ForgetBehind(int64_t round);
  // The record of the last committed round; null while it is being read.
  const LogRecord* LastCommit() const;
  // Where the commit of a round lies, as far as that is known; else LogHead::kUnknown.
  int64_t PlaceOf(int64_t round) const;
  // The last one of that round or an earlier one, if it is in memory.
  std::optional<LogRecord> EvaluationUpTo(int64_t round) const;
  // Lets go of commits of rounds before `first`, and of evaluations of no checkpoint, nor of the
  // one that is being written.
  void Trim(int64_t first, const CheckpointInfos& checkpoints, int64_t writing_checkpoint);
  // Of a job that ended only the end stays.
  void Close(const CheckpointInfos& checkpoints);

 private:
  // Of the whole log: where the records lie that its head and checkpoints name.
  void NotePlaces(CheckpointInfos& checkpoints);
};

}  // namespace dl::master
