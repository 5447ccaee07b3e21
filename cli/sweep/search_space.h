// The settings that the jobs of a sweep try. All functions are pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace dl::cli {

// A setting as --set takes it.
struct TrialSetting {
  std::string path, value;

  bool operator==(const TrialSetting&) const = default;
};
// The settings of one job of a sweep, in the order of SearchSpace: lists, then ranges.
using TrialSettings = std::vector<TrialSetting>;

struct SearchSpace {
  struct List {
    std::string path;
    std::vector<std::string> values;
  };
  struct Range {
    std::string path;
    double low = 0, high = 0;
    bool is_log = false;    // uniform in the logarithm
    bool is_whole = false;  // whole numbers, both ends included
  };
  std::vector<List> lists;
  std::vector<Range> ranges;
};

// Parses the values of --grid ("PATH=A,B,C") and --range ("PATH=LOW:HIGH" or "PATH=LOW:HIGH:log").
// Commas within [], {} and "" belong to a value. A range is of whole numbers if both ends are
// written as whole numbers. Returns UsageError for other text, for a value or a path that occurs
// twice, for a LOW that is not below HIGH, and with `log` for a LOW that is not above 0.
StatusOr<SearchSpace> ParseSearchSpace(const std::vector<std::string>& grids,
                                       const std::vector<std::string>& ranges);

// Largest number of jobs of a sweep. It is below the number of jobs that a master queues for one
// owner (CoreOptions::max_queued_jobs_of_owner), so a sweep fits into an empty queue.
inline constexpr int64_t kMaxTrials = 500;

// Returns the settings of the jobs:
//   - all combinations of the lists, the last list varying fastest, if `random` is 0. Also if there
//     are no ranges and at most `random` combinations.
//   - otherwise `random` different draws from lists and ranges, a pure function of space and seed.
// Returns UsageError in the first case for more than kMaxTrials combinations, in the second if 100
// times `random` draws contain fewer than `random` different ones.
// REQUIRES: `random` is at most kMaxTrials; if it is 0, there are no ranges.
StatusOr<std::vector<TrialSettings>> TrialsOf(const SearchSpace& space, int64_t random,
                                              uint64_t seed);

}  // namespace dl::cli
