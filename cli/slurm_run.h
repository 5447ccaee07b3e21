// run and resume on slurm[N], from outside: a batch job is submitted and followed to its end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/command.h"
#include "cli/event_output.h"
#include "cli/interrupts.h"
#include "cli/settings.h"
#include "cli/slurm_flags.h"
#include "job/job_spec.h"

namespace dl::cli {

struct SlurmStart {
  launch::BatchRequest request;
  launch::Target target;
  std::string command;               // "run", "resume"
  std::vector<std::string> words;    // more of it: flags; the job stands behind them
  std::optional<job::JobSpec> spec;  // run: it is frozen into a file
  std::string job;                   // resume: its id
  EventStyle style = EventStyle::kLines;
  bool prints_id = false;
};

// Shows the job's events and result as FollowToEnd does; the exit code is the job's. Ctrl-C (or
// SIGTERM) lets it write a checkpoint and cancels it; one that still waits for nodes is taken from
// Slurm's queue. Where Slurm ends the batch job by scancel, the job becomes CANCELLED, here.
// Errors: what Slurm refuses has exit code 1; Unavailable where the batch job ends without a
// result.
StatusOr<int> RunOnSlurm(const SlurmStart& start, const Settings& settings, Context& context,
                         const Interrupts& interrupts);

}  // namespace dl::cli
