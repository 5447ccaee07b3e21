// Slurm, used through its commands. Each call starts one command and waits for at most
// limits::kSlurmCommandLimit. Thread-safe.
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
  std::string RequeueCommand(const std::string& id) const override {
    return "scontrol requeue " + id;
  }
};

// Returns a path for Slurm's options of output files, where '%' begins a replacement symbol.
std::string SlurmFilePattern(const std::string& path);

// Parses a line of `scontrol show job -o`. Returns InvalidArgument for other text.
StatusOr<BatchJob> ParseSlurmJob(std::string_view line);

// Returns the address at which other nodes reach `node`.
StatusOr<std::string> AddressOfNode(const std::string& node);

// Returns the largest number in the tasks per node, such as "2(x3),1" (SLURM_TASKS_PER_NODE).
// Returns 1 if the text is not valid.
int64_t MostTasksOfANode(std::string_view tasks_per_node);

}  // namespace dl::launch
