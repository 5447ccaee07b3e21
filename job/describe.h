// Texts of jobs: a summary for people, and the document that --print-job writes.
#pragma once

#include <string>

#include "job/job_spec.h"

namespace dl::job {

// Returns the spec as indented JSON with a final newline. dl-submit accepts it as a job file.
std::string FormatJob(const JobSpec& spec);

// Returns a summary for people: name, training plan, data, and the model's table.
std::string Describe(const JobSpec& spec);

}  // namespace dl::job
