// Questions to the core. Each is answered with a view of the step in which it is applied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "master/core/views/job_view.h"

namespace dl::master {

// Asks for the views of these jobs, without their positions in the queue. Jobs that are not in
// memory are left out. A step answers only a few, because a view names each excluded executor.
struct JobsQuery {
  static constexpr size_t kMaxJobs = 5;
  std::vector<std::string> ids;  // at most kMaxJobs
};
struct JobViews {
  std::map<std::string, JobView> by_id;
};
// Questions about one job. The answer is NotFound if the job is not in memory.
struct JobQuery {
  std::string job;
};
struct ResultQuery {
  std::string job;
};
struct CheckpointsQuery {
  std::string job;  // of a damaged job, the answer is Job::damage
};
// The answer has a part of the executors (ClusterView::next), so that the step stays short.
struct ClusterQuery {
  static constexpr size_t kMaxExecutors = 256;
  uint64_t from = 0;  // the first session; 0: all from the first one on
};

}  // namespace dl::master
