// main() of a job program:
//
//   int main(int argc, char** argv) { return dl::launch::JobMain(argc, argv, MakeJob); }
//
// With --print-job, prints the job spec for dl-submit. Otherwise executes `dl-submit run`, on
// local[*] unless --master or DL_MASTER names another target. It executes the dl-submit next to
// this program, or else on the PATH. Output of MakeJob itself goes to standard error, so that
// standard output contains only the spec.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "job/job_spec.h"

namespace dl::launch {

// Returns the exit code of the program (base/exit_status.h), unless dl-submit has replaced the
// process. An error of `make_job` is printed.
int JobMain(int argc, char** argv, StatusOr<job::JobSpec> (*make_job)());

// Does the same for a program with arguments of its own. These follow "--" in the command line of
// `dl-submit run`, or of the program itself.
int JobMain(int argc, char** argv,
            StatusOr<job::JobSpec> (*make_job)(const std::vector<std::string>& arguments));

}  // namespace dl::launch
