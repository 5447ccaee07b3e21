// How a job shares a cluster with other jobs. Nothing of it is in a result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dl::rpc {

struct Scheduling {
  int32_t priority = 0;       // up to limits::kMaxPriority either way; a higher one goes first
  std::string after;          // a job that has to have SUCCEEDED before this one begins; or empty
  int32_t max_executors = 0;  // that compute it at a time; 0: all that there are
  std::vector<std::string> labels;  // of the job, for people (base/label.h)
  std::vector<std::string> needs;   // of an executor, all of them: others compute none of it
  bool operator==(const Scheduling&) const = default;
};

}  // namespace dl::rpc
