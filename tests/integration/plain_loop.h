// A job computed without Paravane's cluster: one loop over rounds and workers, the engine, and the
// merge of a whole round at once. What every cluster has to equal.
#pragma once

#include <string>
#include <vector>

#include "averaging/state_layout.h"
#include "base/status.h"
#include "job/job_spec.h"

namespace dl::test {

struct PlainResult {
  std::string state_sha256;
  averaging::StateLayout layout;
  std::vector<float> global;
};
// Reads the spec's training source itself. Policies average and reset.
StatusOr<PlainResult> TrainPlainly(const job::JobSpec& spec);

}  // namespace dl::test
