#include "cli/slurm_batch.h"

#include <cstdlib>
#include <ostream>

#include "cli/exit_code.h"
#include "launch/slurm.h"

namespace dl::cli {

bool LeavesJob(const launch::Target& target, const Interrupts& interrupts) {
  return target.is_in_batch() && interrupts.exit_code() != 0 &&
         interrupts.exit_code() != kInterrupted;
}

StatusOr<int> EndOfBatch(StatusOr<int> code, const launch::Target& target,
                         const Interrupts& interrupts, Context& context) {
  // It may have come to its own end beside the signal.
  if (code.ok() || !LeavesJob(target, interrupts)) return code;
  const char* id = std::getenv("SLURM_JOB_ID");
  if (id == nullptr) return code;
  const auto job = launch::FindSlurmJob(id);
  // Cancelled, or taken from it by Slurm, which then requeues it by itself.
  if (job.ok() && job->state != "RUNNING") {
    context.err << "stopped by Slurm; last checkpoints are written" << std::endl;
    return kTerminated;
  }
  // Before it is: Slurm then ends this process, too, at any moment.
  context.err << "Slurm wants its nodes back: last checkpoints are written, and the job is requeued"
              << std::endl;
  if (Status asked = launch::RequeueSlurmJob(id); !asked.ok())
    context.err << "error: " << DescribeError(asked) << std::endl;
  return kTerminated;
}

}  // namespace dl::cli
