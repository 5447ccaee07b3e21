// Flags for the request that run and resume send to Slurm.
#pragma once

#include <string>

#include "base/status.h"
#include "cli/flags.h"
#include "launch/clusters/batch_system.h"
#include "launch/clusters/target.h"

namespace dl::cli {

class SlurmFlags {
 public:
  void Declare(Flags& flags);
  // Returns UsageError if a flag is given with another --master than slurm[N], or if a value is not
  // possible for Slurm: it has a control character or begins with '-'.
  Status Check(const launch::Target& target) const;
  // Returns the request for the executors of slurm[N], with one CPU each unless the flag is given.
  launch::BatchRequest Request(const launch::Target& target) const;

 private:
  std::string partition_, time_, account_;
  int64_t memory_bytes_ = 0, cpus_ = 0;  // 0: not given
};

}  // namespace dl::cli
