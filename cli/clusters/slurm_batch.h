// Ends a run inside an allocation of Slurm whose nodes are taken back.
#pragma once

#include "base/status.h"
#include "cli/command.h"
#include "cli/interrupts.h"
#include "launch/clusters/target.h"

namespace dl::cli {

// Must be called after the cluster of a command has ended with outcome `code`. On slurm-batch[N], a
// signal other than SIGINT means that Slurm takes the nodes back, because of the time limit or for
// another job. If the signal stopped the command with an error, the job stays unfinished and the
// result is exit code 143. Slurm is then asked to requeue the batch job if it still counts as
// running, or if its state is unknown. In all other cases, and if this process is in no batch job,
// returns `code`.
StatusOr<int> EndOfBatch(StatusOr<int> code, const launch::Target& target,
                         const Interrupts& interrupts, Context& context);

// Returns whether a signal other than SIGINT stopped a command on slurm-batch[N]. This signal ends
// the follower but leaves the job unchanged.
bool LeavesJob(const launch::Target& target, const Interrupts& interrupts);

}  // namespace dl::cli
