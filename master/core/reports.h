// What people and scripts are told of a job. docs/operations.md (Output) describes the JSON.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "master/core/job.h"

namespace dl::master {

// The event with which a job ends; of one that goes on, how far it is. `wall_seconds`: what it has
// run for, all its lives together.
Json ResultReport(const Job& job, double wall_seconds, const std::set<std::string>& quarantined);

// All that is told of a job: its result and what else there is. `excluded`: executors of another
// kernel contract.
// The Json is that of a job without open units.
Json JobReport(const Job& job, Json result, const std::vector<std::string>& excluded);
std::string JobReportText(const Job& job, Json result, const std::vector<std::string>& excluded);

Json CheckpointsReport(const Job& job);

}  // namespace dl::master
