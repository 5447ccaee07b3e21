// The result of a sweep: as JSON, as a table, and as lines about decisions.
#pragma once

#include <string>

#include "base/json.h"
#include "cli/sweep/sweep_run.h"

namespace dl::cli {

// Returns {"type":"sweep",...} of docs/operations/sweeps.md. Trials that succeeded come first. Then
// come the trials that the sweep stopped, a later epoch before an earlier one. Trials that ended
// otherwise come last. Within each of these groups the best come first.
Json SweepJson(const SweepPlan& plan, const SweepRun& run);

// Returns the document of SweepJson as a table for people, with a last line about the best job.
std::string SweepText(const Json& sweep);

// Returns lines with commands that compare the best jobs of SweepJson, at most eight; "" for one
// job. `store_flags` are the flags with which commands find the jobs: "", or beginning with a
// blank. `has_folder`: the jobs are in a data folder that `ui` can show.
std::string SweepNextText(const Json& sweep, const std::string& store_flags, bool has_folder);

// Returns the line for an event of SweepRun::Options::on_event, without a line end.
std::string SweepEventText(const Json& event);

}  // namespace dl::cli
