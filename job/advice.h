// Settings of a correct job that do nothing, or not what who wrote them means.
#pragma once

#include <string>
#include <vector>

#include "job/job_spec.h"

namespace dl::job {

// A sentence each, for a warning. What depends on the number of examples is judged where the data
// is imported. How many executors there are is no matter of a job.
std::vector<std::string> Advice(const JobSpec& spec);

}  // namespace dl::job
