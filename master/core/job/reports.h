// What people and scripts are told of a job. docs/operations.md (Output) describes the JSON.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
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

// The job's checkpoints as a JSON list. Checkpoints that were set aside come first, so the last one
// is the newest that counts. Their manifests may be large, so their texts are taken as
// they are stored.
std::string CheckpointsText(const Job& job);

// A report of a job that ended, as the store keeps it ("ended/ID/WHAT"), and back. ReportIn gives
// none for a text of another version, or a damaged one. Neither parses the report.
std::string EndedReportText(std::string_view report);
std::optional<std::string> ReportIn(std::string document);
// The report of a result or a job that ended, with the executors in `quarantined` on whose
// unconfirmed results it rests (ResultReport says how). The same report when there is none.
std::string WithDistrusted(std::string report, const Word& word,
                           const std::set<std::string>& quarantined);

}  // namespace dl::master
