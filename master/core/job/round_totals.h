// Sums over the accepted results of a job's open round or evaluation. Each result is added when it
// is accepted, so that closing a large round need not add results again, unless one was replaced or
// withdrawn. Adding them again takes several steps of the core.
#pragma once

#include <cstdint>
#include <map>

#include "averaging/strategy.h"
#include "base/status.h"
#include "master/core/job/by_index.h"
#include "master/core/job/unit.h"
#include "nn/metrics/metric_sums.h"

namespace dl::master {

class RoundTotals {
 public:
  // Adds the unit's result if none of this unit was added before. CatchUp notices if it is replaced
  // later. REQUIRES: the unit is accepted, and `strategy` belongs to its job.
  void Count(const averaging::Strategy& strategy, const Unit& unit);
  // Adds accepted results that were not added. Starts from scratch if a result that was added is no
  // longer accepted, or was replaced. `values`, above 0, limits the work of a call: the call stops
  // when the added results have about that many magnitudes (averaging/grid.h) and values of metrics
  // together. It adds at least one result. Returns false if results are left for the next call.
  bool CatchUp(const averaging::Strategy& strategy, const ByIndex<Unit>& units, int64_t values);

  // Grid of the merge of the training units whose results were added. Empty if no result of a
  // training unit was added.
  const averaging::GridExponents& grid() const { return grid_; }
  // Sum of the metrics, or an error if they cannot be added.
  const StatusOr<nn::MetricSums>& metrics() const { return metrics_; }

  bool operator==(const RoundTotals& other) const;

 private:
  std::map<int32_t, uint64_t> counted_;  // unit -> digest of the added result
  averaging::GridExponents grid_;
  StatusOr<nn::MetricSums> metrics_ = nn::MetricSums();
};

}  // namespace dl::master
