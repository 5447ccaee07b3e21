// Shows comparisons, for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "bench/steps/step_comparison.h"

namespace dl::bench {

// Returns the tables of one task: times, bound, layers and kernels. `rows` limits the number of
// layers and kernels; those that take the longest are shown.
std::string DescribeComparison(const Comparison& comparison, const ComparisonSettings& settings,
                               size_t rows);
Json ComparisonJson(const Comparison& comparison, const ComparisonSettings& settings);

// Returns a table with a line for each task.
std::string Summarize(const std::vector<Comparison>& comparisons);

}  // namespace dl::bench
