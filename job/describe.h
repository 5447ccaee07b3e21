// A job for people, and the document that --print-job prints.
#pragma once

#include <string>

#include "job/job_spec.h"

namespace dl::job {

// The spec as indented JSON with a line end: what dl-submit accepts as a file.
std::string PrintJob(const JobSpec& spec);

// A few lines: name, plan, data, and the model's table.
std::string Describe(const JobSpec& spec);

}  // namespace dl::job
