// Detects that the batch process of a Slurm job is lost. With --no-kill, Slurm keeps a job whose
// first node is lost. It still counts the batch process as running, although it no longer exists.
#pragma once

#include <optional>

#include "base/clock.h"

namespace dl::cli {

// Judges by signs of life: messages of the batch process, and the lock of the data folder, which
// its master holds. Not thread-safe.
class BatchWatch {
 public:
  // Records a sign of life. Must be called at each message of the batch process.
  void RecordMessage(Instant now);
  // Records a look at the lock of the data folder. A held lock is a sign of life. Must be called
  // after each look.
  void RecordLockCheck(bool is_held, Instant now);
  // Records a report of the master, which is a sign of life. The master holds the data folder, so
  // its lock should have a holder. Returns true if at least two looks since the first report showed
  // no holder, no look showed one, and this report is at least limits::kSharedFileLag later than
  // the first. Locks are then not visible between the nodes, and IsLost() never returns true again.
  // Returns true at most once.
  bool RecordMasterReport(Instant now);
  // Forgets all signs of life and the start of the job. Remembers that locks are not visible. Must
  // be called when the job has no batch process, because it waits for nodes or was requeued.
  void Restart();
  // Returns true if there was no sign of life for limits::kBatchSilenceTimeout, or none at all for
  // limits::kBatchStartTimeout since the job started to run. `runs`: whether Slurm reports the job
  // as running. A call with `runs` false returns false and starts these times again.
  bool IsLost(bool runs, Instant now);

 private:
  std::optional<Instant> last_message_at_, runs_since_;
  // Time of the first report of the master since the lock last had a holder.
  std::optional<Instant> first_unlocked_report_at_;
  int unlocked_checks_ = 0;  // consecutive looks without a holder since then
  bool lock_is_invisible_ = false;
};

}  // namespace dl::cli
