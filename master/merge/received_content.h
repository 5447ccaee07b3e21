// Checks complete data of executors against announcements, and finds the parts in it. A gather
// delivers the contribution of one worker, or the sum of several, followed by the parts that each
// worker keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "averaging/strategy.h"
#include "base/status.h"
#include "master/core/master_events.h"
#include "master/merge/round_state.h"

namespace dl::master {

// Returns the unit of the gather's first input. Errors about the gather name it.
UnitId FirstUnit(const ExpectGather& expected);

// Returns the number of bytes that a gather delivers.
int64_t GatheredBytes(const averaging::StateLayout& layout, const ExpectGather& expected);

// Returns the parts that a worker keeps, in the layout's order. `input` is the index of the worker
// in `expected`; `content` is its contribution or the sum that contains it.
std::vector<std::span<const float>> WorkerParts(const averaging::StateLayout& layout,
                                                const ExpectGather& expected, size_t input,
                                                const FloatBuffer& content);

struct AnnouncedContent {
  uint64_t hash = 0;
  const averaging::Magnitudes& magnitudes;
  const std::vector<rpc::NamedPart>& parts;  // parts that the worker keeps
};
// Compares a complete contribution with its announcement. Returns DataLoss if its bytes or the
// parts that the worker keeps differ, and InvalidArgument if its magnitudes differ. REQUIRES:
// `announced.parts` has the names of the layout's worker parts, in its order.
Status CheckContribution(const averaging::Strategy& strategy, const FloatBuffer& vector,
                         const AnnouncedContent& announced);

// Checks complete data of a gather. `hash` is the sender's hash of a sum. In a sum, only this hash
// and the parts that workers keep can be checked. Errors are those of CheckContribution.
Status CheckGathered(const averaging::Strategy& strategy, const ExpectGather& expected,
                     uint64_t hash, const FloatBuffer& content);

}  // namespace dl::master
