// Shows where the time of a round goes: the spans (base/trace.h) of one round of a job on local[N],
// as a table.
#pragma once

#include <string>
#include <vector>

#include "base/trace.h"

namespace dl::bench {

// Returns the number of training steps, and their mean and median in ms.
std::string DescribeSteps(const std::vector<TracedSpan>& spans);

// Returns how the slots' threads spent the time from a job's submission to its result: before the
// first step, after the last step, and between them by span and without a unit.
std::string SlotTimes(const std::vector<TracedSpan>& spans, Instant begin, Instant end);

// Returns the median round, from the last step of the previous round to its own last step: each
// span with its thread, begin and length. Spans marked * are on the critical path from the last
// step of one round to the first step of the next. The sums over all rounds with as many steps
// follow. Returns an empty string if no two consecutive rounds were traced.
std::string MedianRound(const std::vector<TracedSpan>& spans);

}  // namespace dl::bench
