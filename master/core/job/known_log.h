// The core's view of a job's round log: where it ends, which rounds count, and the few records that
// are in memory.
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
  bool places_noted = false;  // log indices were found by reading the whole log; not stored yet
  int64_t committed = -1;     // last committed round; -1 before the start record
  // Start and commit records by round: the last ones and, while rounds are computed again, the next
  // ones that replay compares with.
  std::map<int64_t, LogRecord> commits;
  // Log indices of the commits that are to be computed again, for rounds places_from, places_from +
  // 1, ...
  std::vector<int64_t> places;
  int64_t places_from = 0;
  std::map<int64_t, LogRecord> evaluations;  // by round: those of checkpoints, and the last one
  BestSoFar best;
  // Whether the last evaluation decided that the job stops early.
  bool stop_decided = false;
  Plateaus plateaus;

  // Replaces all state with the records that were read. Keeps `committed` if they have no start or
  // commit. Checkpoints provide evaluations. If the whole log was read, also sets missing log
  // indices in `checkpoints`, and the evaluations of these checkpoints.
  void Take(JobLog log, CheckpointInfos& checkpoints);
  // Copies the best figure, plateaus and the decision to stop.
  void TakeDecision(const LogRecord& evaluation);
  void TakeEvaluation(LogRecord evaluation);  // REQUIRES: it is the last evaluation so far
  // Sets `committed` to `round`. Forgets all records of later rounds, which no longer count. Takes
  // the decision from the last evaluation that remains in memory, or resets it if none does.
  void ForgetAfter(int64_t round);
  // Returns the record of the last committed round; null while it is being read, and before the
  // start record.
  const LogRecord* LastCommit() const;
  // Returns the log index of a round's commit, or LogHead::kUnknown.
  int64_t PlaceOf(int64_t round) const;
  // Returns the last evaluation up to that round, if it is in memory.
  std::optional<LogRecord> EvaluationUpTo(int64_t round) const;
  // Drops commits of rounds before `first`. Drops evaluations, except the last one and those of
  // checkpoints, written or being written. `writing_checkpoint` is the round of the checkpoint that
  // is being written, whose evaluation stays; -1: none.
  void Trim(int64_t first, const CheckpointInfos& checkpoints, int64_t writing_checkpoint);
  // Reduces the memory of an ended job: keeps the last two commits, the last evaluation and the
  // evaluations of checkpoints.
  void Close(const CheckpointInfos& checkpoints);

 private:
  // Sets the log indices of the head and of checkpoints. REQUIRES: the whole log was read.
  void IndexCheckpoints(CheckpointInfos& checkpoints);
};

}  // namespace dl::master
