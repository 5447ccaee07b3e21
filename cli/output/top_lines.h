// The lines of `dl-submit top`: a cluster, its executors and its jobs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "cli/terminal/full_screen.h"

namespace dl::cli {

enum class JobOrder {
  // Running, waiting, paused, then ended jobs. Within each of these groups the newest job first.
  kActivity,
  kSpeed,  // the same groups; within each the job with the most examples per second first
  kName    // by the id of the job, ascending
};

struct TopView {
  std::string where;  // the master or data folder
  JobOrder order = JobOrder::kActivity;
  size_t lines = 0;    // of the screen, at least 8; 0: no limit
  size_t columns = 0;  // of the screen: long names are cut so that rows fit; 0: no limit
  std::string note;    // the last line; empty: none
};

// Returns at most `view.lines` lines. `cluster` and `jobs` are answers of the master (QueryKind::
// kCluster and launch::AllJobs). If not all rows fit, executors get at most a third of the lines
// for rows, or all that the jobs leave. A row says how many executors or jobs are missing.
std::vector<ScreenLine> TopLines(const Json& cluster, const Json& jobs, const TopView& view);

}  // namespace dl::cli
