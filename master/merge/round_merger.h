// Merges a round on arrival: contributions are added while others are still computed.
//
// Which grid a round has is known only when all of it has announced (master/core decides). It is
// seldom another than that of the round before, so contributions are added on a guess. Where the
// guess was wrong, or what was added has been taken back since, Finish adds everything anew: that
// costs time, never a bit. In a round that is gathered the grid is known before the first one is
// added, and none of them is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "averaging/average_strategy.h"
#include "base/status.h"

namespace dl::master {

// Not thread-safe.
class RoundMerger {
 public:
  explicit RoundMerger(averaging::StateLayout layout) : strategy_(std::move(layout)) {}

  struct Contribution {
    int32_t worker = 0;
    uint64_t hash = 0;  // names its content
    std::span<const float> vector;
    std::span<const double> magnitudes;
  };

  // `weights`: examples by worker, 0 for none. Forgets the round before.
  void Open(int64_t round, std::vector<int64_t> weights);
  // A verified contribution of the open round; others are ignored.
  void Add(int64_t round, const Contribution& contribution);
  // The global state of the open round out of exactly these contributions, on that grid. Errors as
  // the strategy's.
  Status Finish(int64_t round, const averaging::GridExponents& grid,
                std::span<const Contribution> contributions, std::span<float> global);

  // The open round is gathered, on this grid: what was added of it is forgotten.
  Status OpenGather(int64_t round, const averaging::GridExponents& grid);
  // A verified contribution, or what several sum to (averaging/partial_sum.h; of their vectors and
  // magnitudes nothing is looked at). REQUIRES: OpenGather was OK.
  Status AddGathered(const Contribution& contribution);
  Status AddGathered(std::span<const Contribution> contributions, std::span<const std::byte> sums);
  // The global state. FailedPrecondition unless exactly these were added.
  Status FinishGathered(std::span<const Contribution> contributions, std::span<float> global) const;

  const averaging::GridExponents& grid() const { return strategy_.grid(); }  // of the open round
  const averaging::Weights& weights() const { return strategy_.weights(); }

  const averaging::StateLayout& layout() const { return strategy_.layout(); }
  // Contributions of the last finished round that had been added when they arrived.
  int64_t added_on_arrival() const { return added_on_arrival_; }

 private:
  Status AddNow(const Contribution& contribution);
  bool Holds(int64_t round, const averaging::GridExponents& grid,
             std::span<const Contribution> contributions) const;

  averaging::AverageStrategy strategy_;
  averaging::GridExponents guess_;  // the last finished round's grid; empty: none
  int64_t round_ = -1;
  std::vector<int64_t> weights_;
  bool adding_ = false;                // the guess has not been refuted
  std::map<int32_t, uint64_t> added_;  // worker -> hash
  int64_t added_on_arrival_ = 0;
};

}  // namespace dl::master
