// What executors send, once it is whole: is it what was announced, and what is in it. A gather
// brings the contribution of one worker, or several as their sum and, behind it, what each worker
// keeps to itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "averaging/strategy.h"
#include "base/status.h"
#include "master/core/events.h"
#include "master/merge/job_state.h"

namespace dl::master {

// The unit that errors name.
UnitId FirstUnit(const ExpectGather& expected);

int64_t GatheredBytes(const averaging::StateLayout& layout, const ExpectGather& expected);

// What the worker keeps to itself of what came, which is that input's contribution or the sum that
// it is in; in the layout's order.
std::vector<std::span<const float>> WorkerParts(const averaging::StateLayout& layout,
                                                const ExpectGather& expected, size_t input,
                                                const FloatBuffer& content);

struct AnnouncedContent {
  uint64_t hash = 0;
  const averaging::Magnitudes& magnitudes;
  const std::vector<rpc::NamedPart>& parts;  // that the worker keeps to itself
};
// Compares a whole contribution with its announcement. DataLoss: its bytes, or the parts that the
// worker keeps, are others. InvalidArgument: its magnitudes are others.
// REQUIRES: `announced.parts` has the names of the layout's worker parts, in its order.
Status CheckContribution(const averaging::Strategy& strategy, const FloatBuffer& vector,
                         const AnnouncedContent& announced);

// Whether what came whole is what was asked for; `hash` is what its sender says of a sum.
Status CheckGathered(const averaging::Strategy& strategy, const ExpectGather& expected,
                     uint64_t hash, const FloatBuffer& content);

}  // namespace dl::master
