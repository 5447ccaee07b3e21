// Merges a round on arrival: contributions are added while others are still computed.
//
// Which grid a round has is known only when all of it has announced (master/core decides). Until
// then it is that of the contributions that are here. One that is larger raises it for the segments
// concerned, and those alone are added again, out of the kept vectors. Where something was added
// that has been taken back since, Finish adds everything anew: that costs time, never a bit. In a
// round that is gathered the grid is known before the first one is added, and none of them is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "averaging/round_mean.h"
#include "averaging/strategy.h"
#include "base/status.h"
#include "master/merge/job_state.h"

namespace dl::master {

// Not thread-safe.
class RoundMerger {
 public:
  explicit RoundMerger(std::shared_ptr<const averaging::Strategy> strategy)
      : strategy_(std::move(strategy)), mean_(strategy_->layout()) {}

  struct Contribution {
    int32_t worker = 0;
    uint64_t hash = 0;  // names its content
    SharedVector vector;
    averaging::Magnitudes magnitudes;
  };

  // Where a mean goes: the global parts, in the layout's order.
  using Parts = std::span<const std::span<float>>;

  // `examples`: by worker, 0 for none. Forgets the round before.
  void Open(int64_t round, std::vector<int64_t> examples);
  // A verified contribution of the open round; others are ignored. Its vector is kept until the
  // round is finished.
  void Add(int64_t round, const Contribution& contribution);
  // The mean of exactly these contributions of the open round, on that grid, in all global parts.
  // Errors as RoundMean's.
  Status Finish(int64_t round, const averaging::GridExponents& grid,
                std::span<const Contribution> contributions, Parts global);

  // The open round is gathered, on this grid: what was added of it is forgotten.
  Status OpenGather(int64_t round, const averaging::GridExponents& grid);
  // A verified contribution, or what several sum to (averaging/partial_sum.h; they need neither
  // vectors nor magnitudes). REQUIRES: OpenGather was OK.
  Status AddGathered(const Contribution& contribution);
  Status AddGathered(std::span<const Contribution> contributions, std::span<const std::byte> sums);
  // The mean. FailedPrecondition unless exactly these were added.
  Status FinishGathered(std::span<const Contribution> contributions, Parts global) const;

  const averaging::GridExponents& grid() const { return mean_.grid(); }  // of the open round
  const averaging::Weights& weights() const { return mean_.weights(); }

  // Contributions of the last finished round that had been added, or most of them, when they
  // arrived.
  int64_t added_on_arrival() const { return added_on_arrival_; }

 private:
  Status AddNow(const Contribution& contribution);
  Status AddWhatIsMissing();
  Status AddAll(const averaging::GridExponents& grid, std::span<const Contribution> contributions);
  bool IsIn(const Contribution& contribution) const;

  Status OpenMean(averaging::GridExponents grid);

  std::shared_ptr<const averaging::Strategy> strategy_;
  averaging::RoundMean mean_;
  int64_t round_ = -1;
  std::vector<int64_t> examples_;
  bool adding_ = false;                    // on arrival; nothing went wrong
  std::map<int32_t, Contribution> added_;  // by worker; of a gathered round without their vectors
  int64_t added_on_arrival_ = 0;
};

}  // namespace dl::master
