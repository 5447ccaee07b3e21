// Shows the memory and the kernels of a worker's network on this machine, as text and JSON.
#pragma once

#include <string>

#include "base/json.h"
#include "job/job_spec.h"

namespace dl::cli {

struct CompiledNetworkReport {
  // Whole lines. If this machine cannot compute the job, `memory` says why and `kernels` is empty.
  std::string memory, kernels;
  Json memory_json, kernels_json;  // null if this machine cannot compute the job
};

// Compiles the network of a job for full minibatches, with the instruction set of the job, or with
// the best of this machine. Not thread-safe.
CompiledNetworkReport ReportCompiledNetwork(const job::JobSpec& spec);

}  // namespace dl::cli
