// How the executors of a job spent the time of their units, from the job's timeline.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "rpc/service.h"

namespace dl::web {

struct ExecutorTimes {
  std::string executor;
  int64_t units = 0;  // leases of training units with a result, at least 1
  // Fractions of the time from the starts to the ends of these units. `other` is the rest, such as
  // storing the result.
  double computing = 0, data_wait = 0, state_wait = 0, other = 0;
  double median_unit_ms = 0;     // from start to end
  double median_sending_ms = 0;  // from the request for a result to the arrival of its bytes
  // median_unit_ms divided by the median of median_unit_ms of the other executors; 0 if there is no
  // other executor.
  double relative = 0;
};

// Returns the executors with units in consecutive answers to queries of the kind kTimeline, by
// name. Evaluations do not count, and neither do units that failed, were lost or expired.
std::vector<ExecutorTimes> FindExecutorTimes(const std::vector<Json>& answers);

// Finds the times of a job's newest units: about 256 leases. `workers` is the number of the job's
// workers. Errors are those of rpc::ClientService::Query.
StatusOr<std::vector<ExecutorTimes>> ReadExecutorTimes(rpc::ClientService& master,
                                                       const std::string& job, int64_t workers);

// Returns [{"executor","units","computing","data_wait","state_wait","other","median_unit_ms",
// "median_sending_ms","relative"}]. "relative" is null instead of 0.
Json ToJson(const std::vector<ExecutorTimes>& executors);

}  // namespace dl::web
