// main() of a job program: `int main(int argc, char** argv) { return dl::launch::JobMain(argc,
// argv, MakeJob); }`. With
// --print-job it prints the job spec for dl-submit; run on its own it trains on local[*].
#pragma once

#include "base/status.h"
#include "job/job_spec.h"

namespace dl::launch {

int JobMain(int argc, char** argv, StatusOr<job::JobSpec> (*make_job)());

}  // namespace dl::launch
