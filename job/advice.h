// Warnings about settings of a valid job that have no effect, or not the intended effect.
#pragma once

#include <string>
#include <vector>

#include "job/job_spec.h"

namespace dl::job {

// Returns one sentence per warning. Warnings that depend on the number of examples are given only
// if the training set has been imported. The number of executors is not considered, because it is
// no property of a job.
std::vector<std::string> Advice(const JobSpec& spec);

}  // namespace dl::job
