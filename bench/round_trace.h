// Where the time of a round goes: the spans (base/trace.h) of one round of a job on local[N], as a
// table.
#pragma once

#include <string>
#include <vector>

#include "base/trace.h"

namespace dl::bench {

// How many training steps there are, their mean and median in ms.
std::string DescribeSteps(const std::vector<TracedSpan>& spans);

// What the slots' threads did from a job's submission to its result: before the first step and
// behind the last one; in between by span, and without a unit.
std::string SlotTimes(const std::vector<TracedSpan>& spans, Instant begin, Instant end);

// The median round, from the last step of the round before to its own last step: each span with its
// thread, begin and length; those marked * are on the critical path from the one round's last step
// to the next one's first. Behind it the sums over all rounds of that many steps. Empty when no two
// rounds were traced.
std::string MedianRound(const std::vector<TracedSpan>& spans);

}  // namespace dl::bench
