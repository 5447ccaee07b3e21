// Whether the batch process of a Slurm job is lost: Slurm keeps a job whose first node is lost
// (--no-kill), and with it the batch process, although nothing of it is left to go on.
#pragma once

#include <optional>

#include "base/clock.h"

namespace dl::cli {

class BatchWatch {
 public:
  // The batch process gave a sign of life: it said something, or has its data folder.
  void Heard(Instant now);
  // A look at the lock of its data folder, which is a sign of life while it shows a holder.
  void SawLock(bool is_held, Instant now);
  // Its master said something, which only the holder of the data folder does. True the first time
  // that the lock has shown no holder for limits::kSharedFileLag meanwhile: locks are not visible
  // between the nodes, and from then on silence means nothing.
  bool HeardOfMaster(Instant now);
  // It has no batch process: it waits for nodes, or was started again since.
  void Anew();
  // What Slurm calls it, at one of the looks. True once nobody was heard for limits::kBatchLost,
  // and from its start for limits::kBatchStart. Time counts only while it runs. Never true once the
  // lock is known to show nothing.
  bool IsLost(bool runs, Instant now);

 private:
  std::optional<Instant> heard_at_, runs_since_;
  // Its master was first heard then, of the time in which the lock has shown no holder.
  std::optional<Instant> heard_unlocked_at_;
  int looks_unlocked_ = 0;  // in a row, since then
  bool lock_shows_nothing_ = false;
};

}  // namespace dl::cli
