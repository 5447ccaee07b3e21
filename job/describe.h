// Texts of jobs: a summary for people, and the document that --print-job writes.
#pragma once

#include <string>

#include "job/job_spec.h"

namespace dl::job {

// Returns the spec as indented JSON with a final newline. dl-submit accepts it as a job file.
std::string FormatJob(const JobSpec& spec);

// Returns a summary for people, in several lines: name, training plan, data, the table of the
// model's layers, and the memory of a worker's network.
std::string Describe(const JobSpec& spec);

}  // namespace dl::job
