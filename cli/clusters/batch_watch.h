// Detects that the batch process of a Slurm job is lost. With --no-kill, Slurm keeps a job whose
// first node is lost. It still counts the batch process as running, although it no longer exists.
#pragma once

#include <optional>

#include "base/clock.h"

namespace dl::cli {

class BatchWatch {
 public:
  // Must be called at each sign of life of the batch process: a message, or its hold on the data
  // folder.
  void Heard(Instant now);
  // Must be called after each look at the lock of the data folder. A held lock is a sign of life.
  void SawLock(bool is_held, Instant now);
  // Must be called when the master reported something, which only the holder of the data folder
  // does. Returns true once: when the lock has shown no holder for limits::kSharedFileLag although
  // the master was heard. Locks are then not visible between the nodes, and from now on silence
  // means nothing.
  bool HeardOfMaster(Instant now);
  // Must be called when the job has no batch process: it waits for nodes or was requeued.
  void Restart();
  // `runs`: whether Slurm reports the job as running. Returns true if there was no sign of life for
  // limits::kBatchLost, or none at all for limits::kBatchStart after the start. Time counts only
  // while the job runs. Never returns true if the lock is known to be invisible.
  bool IsLost(bool runs, Instant now);

 private:
  std::optional<Instant> heard_at_, runs_since_;
  // Time when the master was first heard while the lock showed no holder.
  std::optional<Instant> heard_unlocked_at_;
  int looks_unlocked_ = 0;  // consecutive looks without a holder since then
  bool lock_shows_nothing_ = false;
};

}  // namespace dl::cli
