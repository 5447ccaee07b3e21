// main() of a job program:
//
//   int main(int argc, char** argv) { return dl::launch::JobMain(argc, argv, MakeJob); }
//
// With --print-job it prints the job spec for dl-submit; run on its own it becomes `dl-submit run`,
// on local[*], with the dl-submit beside it or else the one of the PATH. What MakeJob itself writes
// to standard output goes to standard error: the spec alone is what is printed.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "job/job_spec.h"

namespace dl::launch {

int JobMain(int argc, char** argv, StatusOr<job::JobSpec> (*make_job)());

// The same with arguments of the program's own: those behind "--" on the line of `dl-submit run`,
// and on its own line.
int JobMain(int argc, char** argv,
            StatusOr<job::JobSpec> (*make_job)(const std::vector<std::string>& arguments));

}  // namespace dl::launch
