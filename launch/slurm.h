// Slurm's own commands, as far as slurm[N] needs them. Each call starts one of them and waits for
// limits::kSlurmCommandLimit at most. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace dl::launch {

// What is asked for; what is empty or 0 is the site's to decide.
struct SlurmRequest {
  int32_t executors = 1;
  std::string partition, time, account;
  int64_t memory_bytes = 0;  // of each executor
  int64_t cpus = 1;          // likewise
};

// A path as Slurm's options for output files take it, in which '%' begins a replacement symbol.
std::string SlurmFilePattern(const std::string& path);

// Submits the script, which begins on the first node. `output` and `errors` are appended to. The
// job's id. FailedPrecondition with what sbatch said where it refuses, Unavailable where its
// controller does not answer, NotFound where there is no sbatch.
struct SlurmBatch {
  std::string name, script, folder, output, errors;
};
StatusOr<std::string> SubmitBatch(const SlurmRequest& request, const SlurmBatch& batch);

struct SlurmJob {
  std::string state;   // "PENDING", "RUNNING", "COMPLETING", "CANCELLED", ...
  std::string reason;  // why it waits, or ended; "" where Slurm says none
  std::string nodes;   // "n[1-4]"; empty before it began
  int64_t restarts = 0;
  int64_t exit_code = 0;  // of the batch script, once it has ended
  bool ended() const;     // and gave everything back
};
// Of one line that `scontrol show job -o` prints. InvalidArgument for anything else.
StatusOr<SlurmJob> ParseSlurmJob(std::string_view line);
// NotFound where Slurm knows the job no more (it forgets those that ended, after minutes);
// Unavailable where its controller does not answer.
StatusOr<SlurmJob> FindSlurmJob(const std::string& id);

// A signal to the batch script's process alone: "INT".
Status SignalBatch(const std::string& id, const std::string& signal);
Status CancelSlurmJob(const std::string& id);  // ends everything of it
// Ends it here, where it runs, and Slurm starts it again; one that has ended, too.
Status RequeueSlurmJob(const std::string& id);

// Where other nodes reach that one.
StatusOr<std::string> AddressOfNode(const std::string& node);

// The largest number of "2(x3),1", how many tasks each node has (SLURM_TASKS_PER_NODE); 1 where it
// cannot be read.
int64_t MostTasksOfANode(std::string_view tasks_per_node);

}  // namespace dl::launch
