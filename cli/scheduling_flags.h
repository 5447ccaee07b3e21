// The flags of how a job shares a cluster with others (rpc/scheduling_fields.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/flags.h"
#include "launch/target.h"
#include "rpc/scheduling_fields.h"

namespace dl::cli {

class SchedulingFlags {
 public:
  void Declare(Flags& flags);
  // UsageError for a label that is none, and for what makes no difference, or would wait for ever,
  // on that kind of cluster (slurm[N] has but one job).
  StatusOr<rpc::Scheduling> Read(const launch::Target& target) const;

 private:
  int64_t priority_ = 0, max_executors_ = 0;
  std::string after_;
  std::vector<std::string> labels_, needs_;
};

// UsageError naming the flag.
Status CheckLabelFlags(const std::vector<std::string>& labels, const std::string& flag);

}  // namespace dl::cli
