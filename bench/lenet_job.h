// The measured job: LeNet-5 of the example on Fashion-MNIST (the files of the package
// dataset-fashion-mnist), batch 128, without evaluation.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "job/job_spec.h"

namespace dl::bench {

struct LenetJobOptions {
  std::string split = "train";  // "train" (60,000 examples) or "t10k" (10,000)
  int64_t workers = 1;
  int64_t epochs = 1;
  int64_t frequency = 8;  // minibatches between two averages
};

// Returns the errors of job::Job::Build.
StatusOr<job::JobSpec> LenetJob(const LenetJobOptions& options);

}  // namespace dl::bench
