// The state of a job as a set of named parts, and their positions in a unit's vector (parameters,
// running moments, updater state, carried state). Defines what units start from, what they return,
// and which of it is merged.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/segment_table.h"
#include "base/status.h"

namespace dl::averaging {

// How updater state (momentum and the like) is treated at the end of a round. The numbers are
// stored: never reuse a value.
enum class UpdaterStatePolicy : uint8_t {
  kAverage = 1,  // averaged over the workers, as the parameters are
  kReset = 2,    // zero at the start of every unit
  kKeep = 3,     // each worker continues with its own
};

// The number of copies of a part, and its value after a round.
enum class PartScope : uint8_t {
  kGlobal,    // one for all workers: the strategy computes it from the mean of contributions
  kWorker,    // one per worker: the result of that worker's last unit
  kStrategy,  // one, not visible to units: the strategy computes it from its previous value
};

struct PartLayout {
  std::string name;  // "model", "updater", "carried", "outer", "ema"
  PartScope scope = PartScope::kGlobal;
  SegmentTable table;
  int64_t offset = 0;  // of its first value in a unit's vector; 0 for a part of the strategy

  // Returns the slice of a unit's vector that holds this part. REQUIRES: scope is not kStrategy.
  std::span<const float> In(std::span<const float> unit_state) const {
    return unit_state.subspan(offset, table.size());
  }
  // Returns the key of the part in a state: for a worker part the name and the worker, as in
  // "updater-3"; for other parts the name.
  std::string KeyOf(int64_t worker) const;
  int64_t bytes() const { return table.size() * static_cast<int64_t>(sizeof(float)); }
};

struct StateLayout {
  SegmentTable unit;              // a unit's vector; segments that belong to no part start as zero
  std::vector<PartLayout> parts;  // global parts, then worker parts, then parts of the strategy
  SegmentTable merged;            // the segments of all global parts, which come first in `unit`
  size_t evaluated_part = 0;      // index in `parts`

  // Returns the layout without parts of a strategy: `model`; `updater` if the table has updater
  // state and the policy is not reset; `carried` if the table has carried state. Returns
  // InvalidArgument unless the table holds parameters, then mean and variance pairs, then updater
  // state, then carried state.
  static StatusOr<StateLayout> Create(SegmentTable unit, UpdaterStatePolicy policy);

  const PartLayout& model() const { return parts.front(); }
  // The part that evaluations, predictions, exports and later jobs use: the model, or a strategy's
  // average of it, which has the same table.
  const PartLayout& evaluated() const { return parts[evaluated_part]; }
  const PartLayout* Find(std::string_view name) const;  // null if no part has this name
  // Returns the parts with this scope, in order. The pointers are valid as long as the layout.
  std::vector<const PartLayout*> PartsWith(PartScope scope) const;
  int64_t WorkerBytes() const;  // of all parts of one worker
};

}  // namespace dl::averaging
