// Reports about jobs, for users and scripts. docs/operations/watch.md describes the JSON.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "master/core/job/job.h"

namespace dl::master {

// Returns the event that ends a job, or the progress of a job that has not ended. `wall_seconds` is
// the total running time over all starts of the master. `quarantined` holds executor names.
Json ResultReport(const Job& job, double wall_seconds, const std::set<std::string>& quarantined);

// Registered executors that get none of a job's units.
struct Excluded {
  std::vector<std::string> for_contract;  // their kernel contracts differ from the job's
  std::vector<std::string> for_memory;    // a unit exceeds their memory
  std::vector<std::string> for_labels;    // they do not have all labels that the job requires
};

// Returns the complete report of a job: its result and all other fields. JobReport leaves out the
// open units.
Json JobReport(const Job& job, Json result, const Excluded& excluded);
std::string JobReportText(const Job& job, Json result, const Excluded& excluded);

// Returns the job's checkpoints as a JSON list. Checkpoints that were set aside come first, so the
// last entry is the newest that counts. Manifests may be large and are copied as stored text.
std::string CheckpointsText(const Job& job);

// Converts the report of an ended job to its stored form ("ended/ID/WHAT") and back. ReportIn
// returns nullopt for another version or a damaged text. Neither parses the report.
std::string EndedReportText(std::string_view report);
std::optional<std::string> ReportIn(std::string document);
// Adds to a report the executors in `quarantined` on whose unconfirmed results the job rests (see
// ResultReport). Returns the report unchanged if there are none.
std::string WithDistrusted(std::string report, const Attestations& attestations,
                           const std::set<std::string>& quarantined);

}  // namespace dl::master
