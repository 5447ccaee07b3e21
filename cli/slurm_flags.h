// What run and resume ask Slurm for.
#pragma once

#include <string>

#include "base/status.h"
#include "cli/flags.h"
#include "launch/batch_system.h"
#include "launch/target.h"

namespace dl::cli {

class SlurmFlags {
 public:
  void Declare(Flags& flags);
  // UsageError for one that was given with another --master than slurm[N], and for a value that
  // cannot be one of Slurm's: with a line break, or a leading '-'.
  Status Check(const launch::Target& target) const;
  launch::BatchRequest Request(const launch::Target& target) const;

 private:
  std::string partition_, time_, account_;
  int64_t memory_bytes_ = 0, cpus_ = 0;  // 0: not given
};

}  // namespace dl::cli
