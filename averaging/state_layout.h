// The state of a job as a set of named parts, and where they lie in a unit's vector (parameters,
// moments, updater state): what units start from, what they hand back, and what becomes of it when
// a round is merged.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/segment_table.h"
#include "base/status.h"

namespace dl::averaging {

// What becomes of updater state (momentum and the like) at the end of a round. Stored numbers:
// never reuse a value.
enum class UpdaterStatePolicy : uint8_t {
  kAverage = 1,  // merged with the parameters' weights
  kReset = 2,    // zero at the begin of every unit
  kKeep = 3,     // each worker continues with its own
};

// Whose a part is, and so what a merge makes of it.
enum class PartScope : uint8_t {
  kGlobal,    // one for all workers: the merge of what they hand back
  kWorker,    // one for each worker: what it handed back last
  kStrategy,  // one, that units never see: the strategy makes it of the one before
};

struct PartLayout {
  std::string name;  // "model", "updater", "carried", "outer", "ema"
  PartScope scope = PartScope::kGlobal;
  SegmentTable table;
  int64_t offset = 0;  // of its first value in a unit's vector; of a strategy's part 0

  // The part in a unit's vector. REQUIRES: scope is not kStrategy.
  std::span<const float> In(std::span<const float> unit_state) const {
    return unit_state.subspan(offset, table.size());
  }
  // In a state: "updater-3" of a worker's, else the name.
  std::string KeyOf(int64_t worker) const;
  int64_t bytes() const { return table.size() * static_cast<int64_t>(sizeof(float)); }
};

struct StateLayout {
  SegmentTable unit;              // what a unit computes on; segments of no part begin as zeros
  std::vector<PartLayout> parts;  // global ones, then workers', then the strategy's
  SegmentTable merged;            // the segments of all global parts, which come first in `unit`
  size_t evaluated_part = 0;      // in `parts`

  // The parts without those of a strategy: `model`; `updater` where there is any and the policy is
  // not reset; `carried` where there is any. InvalidArgument when the table is not parameters, then
  // mean and variance pairs, then updater state, then what is carried.
  static StatusOr<StateLayout> Create(SegmentTable unit, UpdaterStatePolicy policy);

  const PartLayout& model() const { return parts.front(); }
  // What evaluations compute on, and predictions, exports and later jobs take: the model, or a
  // strategy's average of it, whose table is the same.
  const PartLayout& evaluated() const { return parts[evaluated_part]; }
  const PartLayout* Find(std::string_view name) const;  // null: none
  std::vector<const PartLayout*> Of(PartScope scope) const;
  int64_t WorkerBytes() const;  // of all parts of one worker
};

}  // namespace dl::averaging
