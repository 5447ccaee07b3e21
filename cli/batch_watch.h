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
  // It has no batch process: it waits for nodes, or was started again since.
  void Anew();
  // What Slurm calls it, at one of the looks. True once nobody was heard for limits::kBatchLost,
  // and from its start for limits::kBatchStart. Time counts only while it runs.
  bool IsLost(bool runs, Instant now);

 private:
  std::optional<Instant> heard_at_, runs_since_;
};

}  // namespace dl::cli
