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

#include "averaging/average_strategy.h"
#include "base/status.h"
#include "master/merge/job_state.h"

namespace dl::master {

// Not thread-safe.
class RoundMerger {
 public:
  explicit RoundMerger(averaging::StateLayout layout) : strategy_(std::move(layout)) {}

  struct Contribution {
    int32_t worker = 0;
    uint64_t hash = 0;  // names its content
    SharedVector vector;
    averaging::Magnitudes magnitudes;
  };

  // `weights`: examples by worker, 0 for none. Forgets the round before.
  void Open(int64_t round, std::vector<int64_t> weights);
  // A verified contribution of the open round; others are ignored. Its vector is kept until the
  // round is finished.
  void Add(int64_t round, const Contribution& contribution);
  // The global state of the open round out of exactly these contributions, on that grid. Errors as
  // the strategy's.
  Status Finish(int64_t round, const averaging::GridExponents& grid,
                std::span<const Contribution> contributions, std::span<float> global);

  // The open round is gathered, on this grid: what was added of it is forgotten.
  Status OpenGather(int64_t round, const averaging::GridExponents& grid);
  // A verified contribution, or what several sum to (averaging/partial_sum.h; they need neither
  // vectors nor magnitudes). REQUIRES: OpenGather was OK.
  Status AddGathered(const Contribution& contribution);
  Status AddGathered(std::span<const Contribution> contributions, std::span<const std::byte> sums);
  // The global state. FailedPrecondition unless exactly these were added.
  Status FinishGathered(std::span<const Contribution> contributions, std::span<float> global) const;

  const averaging::GridExponents& grid() const { return strategy_.grid(); }  // of the open round
  const averaging::Weights& weights() const { return strategy_.weights(); }

  const averaging::StateLayout& layout() const { return strategy_.layout(); }
  // Contributions of the last finished round that had been added, or most of them, when they
  // arrived.
  int64_t added_on_arrival() const { return added_on_arrival_; }

 private:
  Status AddNow(const Contribution& contribution);
  Status AddWhatIsMissing();
  Status AddAll(const averaging::GridExponents& grid, std::span<const Contribution> contributions);
  bool IsIn(const Contribution& contribution) const;

  averaging::AverageStrategy strategy_;
  int64_t round_ = -1;
  std::vector<int64_t> weights_;
  bool adding_ = false;                    // on arrival; nothing went wrong
  std::map<int32_t, Contribution> added_;  // by worker; of a gathered round without their vectors
  int64_t added_on_arrival_ = 0;
};

}  // namespace dl::master
