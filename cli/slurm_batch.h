// The end of a run inside of an allocation of Slurm.
#pragma once

#include "base/status.h"
#include "cli/command.h"
#include "cli/interrupts.h"
#include "launch/target.h"

namespace dl::cli {

// Behind the end of a command's cluster, whose outcome is `code`. A signal other
// than SIGINT to slurm-batch[N] means that Slurm wants the nodes back, at the time limit or for
// somebody else: the job stays unfinished, Slurm is asked to start the same batch job again, and
// the exit code is 143 without a result. Anything else, and any other target, stays as it is.
StatusOr<int> EndOfBatch(StatusOr<int> code, const launch::Target& target,
                         const Interrupts& interrupts, Context& context);

// Of a follower: whether this signal leaves the job as it is.
bool LeavesJob(const launch::Target& target, const Interrupts& interrupts);

}  // namespace dl::cli
