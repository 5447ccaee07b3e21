// Slurm, used through its commands. Each function that returns a status, except ParseSlurmJob, runs
// one command. It waits for the command for at most 2 * limits::kSlurmCommandTimeout. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "launch/clusters/batch_system.h"

namespace dl::launch {

class Slurm final : public BatchSystem {
 public:
  std::string name() const override { return "Slurm"; }
  std::optional<std::string> OwnJob() const override;
  StatusOr<std::string> Submit(const BatchRequest& request,
                               const BatchScript& script) const override;
  StatusOr<BatchJob> Find(const std::string& id) const override;
  Status Interrupt(const std::string& id) const override;
  Status Cancel(const std::string& id) const override;
  Status Requeue(const std::string& id) const override;
  Status SetComment(const std::string& id, const std::string& text) const override;
  std::string RequeueCommand(const std::string& id) const override {
    return "scontrol requeue " + id;
  }
};

// Escapes each '%' of a path as '%%' for Slurm's options --output and --error.
std::string SlurmFilePattern(const std::string& path);

// Parses the output of `scontrol show job -o` for one job. Returns InvalidArgument if it has no
// JobState.
StatusOr<BatchJob> ParseSlurmJob(std::string_view line);

// Returns the NodeAddr of `node`, by which other nodes reach it; `node` itself if Slurm reports
// none. Returns FailedPrecondition with Slurm's message if Slurm refuses, as it does for an unknown
// node. Returns NotFound if Slurm's commands are not installed, and Unavailable if Slurm does not
// answer.
StatusOr<std::string> FindNodeAddress(const std::string& node);

// Returns the largest number of tasks on a node in the value of SLURM_TASKS_PER_NODE: 2 for
// "2(x3),1". Skips entries that are not numbers. Returns at least 1.
int64_t MaxTasksPerNode(std::string_view tasks_per_node);

}  // namespace dl::launch
