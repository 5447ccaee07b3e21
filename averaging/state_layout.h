// How a unit's flat vector (parameters, moments, updater state) divides into what is merged, what
// the global state holds and what stays with a worker, by the policy for updater state.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/segment_table.h"
#include "base/status.h"

namespace dl::averaging {

// What becomes of updater state (momentum and the like) at the end of a round. Stored numbers:
// never reuse a value.
enum class UpdaterStatePolicy : uint8_t {
  kAverage = 1,  // merged with the parameters' weights
  kReset = 2,    // zero in every new global state
  kKeep = 3,     // each worker continues with its own; not in the global state
};
std::string_view UpdaterStatePolicyName(UpdaterStatePolicy policy);  // "average", "reset", "keep"
StatusOr<UpdaterStatePolicy> ParseUpdaterStatePolicy(std::string_view name);

// All four tables keep the order of `unit`. Since updater state comes last in a table, every part
// is a stretch of the vector: nothing is gathered or scattered.
struct StateLayout {
  UpdaterStatePolicy policy = UpdaterStatePolicy::kAverage;
  SegmentTable unit;    // what a unit starts from and hands back
  SegmentTable global;  // the global state: a prefix of `unit`; all of it but for `keep`
  SegmentTable merged;  // what is averaged: a prefix of `global`; all of it but for `reset`
  SegmentTable worker;  // `keep`: the rest of `unit`, one vector per worker; else empty

  // InvalidArgument when the table is not parameters, then mean and variance pairs, then updater
  // state.
  static StatusOr<StateLayout> Create(SegmentTable unit, UpdaterStatePolicy policy);
};

// The two parts of a unit's vector. REQUIRES: unit_state.size() == layout.unit.size(). The views
// live as long as it does.
struct UnitParts {
  std::span<const float> global;  // layout.global.size() values
  std::span<const float> worker;  // layout.worker.size() values
};
UnitParts SplitUnitState(const StateLayout& layout, std::span<const float> unit_state);

// The opposite: the vector that a unit starts from. InvalidArgument when a size does not fit.
Status JoinUnitState(const StateLayout& layout, UnitParts parts, std::span<float> unit_state);

}  // namespace dl::averaging
