// The memory that a worker's network takes on this machine, as text and JSON.
#pragma once

#include <string>

#include "base/json.h"
#include "job/job_spec.h"

namespace dl::cli {

// Compiles the network of a job for full minibatches, with the instruction set of the job, or with
// the best of this machine. The text is a line with its end. It says why the memory is unknown if
// this machine cannot compute the job. The JSON is then null.
struct NetworkMemoryReport {
  std::string text;
  Json json;
};
NetworkMemoryReport ReportNetworkMemory(const job::JobSpec& spec);

}  // namespace dl::cli
