#include "cli/clusters/slurm_batch.h"

#include <optional>
#include <ostream>

#include "cli/exit_code.h"
#include "launch/clusters/batch_system.h"

namespace dl::cli {

bool LeavesJob(const launch::Target& target, const Interrupts& interrupts) {
  return target.is_in_batch() && interrupts.exit_code() != 0 &&
         interrupts.exit_code() != kInterrupted;
}

StatusOr<int> EndOfBatch(StatusOr<int> code, const launch::Target& target,
                         const Interrupts& interrupts, Context& context) {
  // The command may have ended by itself at the time of the signal.
  if (code.ok() || !LeavesJob(target, interrupts)) return code;
  const launch::BatchSystem& system = launch::BatchSystemOf(target);
  const std::optional<std::string> id = system.OwnJob();
  if (!id) return code;
  const auto job = system.Find(*id);
  // The job was cancelled, or the system takes its nodes and requeues it by itself.
  if (job.ok() && job->phase != launch::BatchJob::Phase::kRunning) {
    context.err << "stopped by " << system.name() << "; last checkpoints are written" << std::endl;
    return kTerminated;
  }
  // Printed before the request, because Slurm may then end this process at any moment.
  context.err << system.name()
              << " wants its nodes back: last checkpoints are written, and the job is requeued"
              << std::endl;
  if (Status asked = system.Requeue(*id); !asked.ok())
    context.err << "error: " << DescribeError(asked) << std::endl;
  return kTerminated;
}

}  // namespace dl::cli
