// Runs a job on slurm[N] from outside of an allocation: submits a batch job and follows it to its
// end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/clusters/slurm_flags.h"
#include "cli/command.h"
#include "cli/interrupts.h"
#include "cli/output/event_output.h"
#include "cli/settings.h"
#include "job/job_spec.h"

namespace dl::cli {

struct SlurmStart {
  launch::BatchRequest request;
  launch::Target target = launch::Target::Local(1);
  std::string command;               // "run", "resume"
  std::vector<std::string> words;    // additional flags; the job follows them
  std::optional<job::JobSpec> spec;  // for run: written to a file
  std::string job;                   // for resume: id of the job
  EventStyle style = EventStyle::kLines;
  bool prints_id = false;  // prints the id of the job on stdout as soon as it is known
};

// Shows the events and the result of the job as FollowToEnd does, and returns the exit code of the
// job. A signal (cli/interrupts.h) or a failed write to standard output makes the job write a
// checkpoint and cancels it; a batch job that waits for nodes is removed from Slurm's queue. If
// scancel ends the batch job, the job becomes CANCELLED. A request that Slurm refuses is an error
// with exit code 1. Returns FailedPrecondition if another process uses the data folder. Returns
// Cancelled if the batch job is stopped before it submits the job, and Unavailable if it ends
// without a result for another reason.
StatusOr<int> RunOnSlurm(const SlurmStart& start, const Settings& settings, Context& context,
                         const Interrupts& interrupts);

}  // namespace dl::cli
