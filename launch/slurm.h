// Slurm, by its own commands. Each call starts one command and waits for limits::kSlurmCommandLimit
// at most. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "launch/batch_system.h"

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
  std::string RequeueCommand(const std::string& id) const override {
    return "scontrol requeue " + id;
  }
};

// A path as Slurm's options for output files take it, in which '%' begins a replacement symbol.
std::string SlurmFilePattern(const std::string& path);

// Reads one line that `scontrol show job -o` prints. InvalidArgument for anything else.
StatusOr<BatchJob> ParseSlurmJob(std::string_view line);

// Where other nodes reach that one.
StatusOr<std::string> AddressOfNode(const std::string& node);

// The largest number of "2(x3),1", how many tasks each node has (SLURM_TASKS_PER_NODE); 1 where it
// cannot be read.
int64_t MostTasksOfANode(std::string_view tasks_per_node);

}  // namespace dl::launch
