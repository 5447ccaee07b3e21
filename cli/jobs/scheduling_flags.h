// Flags that determine how a job shares a cluster with others (rpc/scheduling_fields.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/flags.h"
#include "launch/clusters/target.h"
#include "rpc/scheduling_fields.h"

namespace dl::cli {

class SchedulingFlags {
 public:
  // Declares --priority, --after, --max-executors, --job-label and --needs. This object must
  // outlive `flags`.
  void Declare(Flags& flags);
  // Returns the values of the flags. Returns UsageError for flags that have no effect on this kind
  // of cluster or would make the job wait forever (slurm[N] has only one job), and errors of
  // CheckLabelFlags.
  StatusOr<rpc::Scheduling> Read(const launch::Target& target) const;

 private:
  int64_t priority_ = 0, max_executors_ = 0;
  std::string after_;
  std::vector<std::string> labels_, needs_;
};

// Returns UsageError that names the flag if a label is invalid or there are more than
// limits::kMaxLabels labels.
Status CheckLabelFlags(const std::vector<std::string>& labels, const std::string& flag);

}  // namespace dl::cli
