// What the accepted results of a job's open round, or evaluation, come to: each is counted as it is
// accepted, so that the end of the largest one looks at no result again.
#pragma once

#include <cstdint>
#include <map>

#include "averaging/strategy.h"
#include "base/status.h"
#include "master/core/job/unit.h"
#include "nn/metrics/metric_sums.h"

namespace dl::master {

class Tally {
 public:
  // The unit's first result alone: CatchUp sees whether it is still the one. REQUIRES: the unit is
  // accepted, and `strategy` is its job's.
  void Count(const averaging::Strategy& strategy, const Unit& unit);
  // What is accepted and was not counted; all of it anew where something that was counted is not
  // accepted any more.
  void CatchUp(const averaging::Strategy& strategy, const std::map<int32_t, Unit>& units);

  // Of training units: on which grid they are merged. Empty without any.
  const averaging::GridExponents& grid() const { return grid_; }
  // An error when they do not add up.
  const StatusOr<nn::MetricSums>& metrics() const { return metrics_; }

  bool operator==(const Tally& other) const;

 private:
  std::map<int32_t, uint64_t> counted_;  // unit -> digest of its result
  averaging::GridExponents grid_;
  StatusOr<nn::MetricSums> metrics_ = nn::MetricSums();
};

}  // namespace dl::master
