// What people and scripts are told of a job. docs/operations.md (Output) describes the JSON.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "master/core/job/job.h"

namespace dl::master {

// The event with which a job ends; of one that goes on, how far it is. `wall_seconds`: what it has
// run for, all its lives together.
Json ResultReport(const Job& job, double wall_seconds, const std::set<std::string>& quarantined);

// Executors that are there and get none of a job's units.
struct Excluded {
  std::vector<std::string> for_contract;  // they compute under another one
  std::vector<std::string> for_memory;    // theirs holds no unit
  std::vector<std::string> for_labels;    // they lack some that it needs
};

// All that is told of a job: its result and what else there is.
// The Json is that of a job without open units.
Json JobReport(const Job& job, Json result, const Excluded& excluded);
std::string JobReportText(const Job& job, Json result, const Excluded& excluded);

Json CheckpointsReport(const Job& job);

}  // namespace dl::master
