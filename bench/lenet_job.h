// The measured job: LeNet-5 of examples/lenet_fashion_mnist.cc on Fashion-MNIST (the files of the
// package dataset-fashion-mnist). Each worker has minibatches of 128. The job has no test set, and
// no unit is computed twice for verification.
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
