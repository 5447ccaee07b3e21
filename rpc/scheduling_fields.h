// The fields of a submission that decide how a job shares a cluster with other jobs. They never
// influence a result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dl::rpc {

struct Scheduling {
  // From -limits::kMaxPriority to limits::kMaxPriority; higher goes first. Above 0 only for admins.
  int32_t priority = 0;
  std::string after;          // job that must have state SUCCEEDED before this job begins; or empty
  int32_t max_executors = 0;  // largest number of executors at a time; 0: all
  std::vector<std::string> labels;  // labels of the job, for people (base/label.h)
  std::vector<std::string> needs;   // labels that an executor must have to compute units of the job
  bool operator==(const Scheduling&) const = default;
};

}  // namespace dl::rpc
