// The weighted mean of a round's contributions, as they come:
//
//   Open -> { Announce, Accumulate } in any order per worker -> Close
//
// It depends on the contributions alone: not on their order, not on the order of the announcements.
// A round with a single contribution copies it.
//
// Memory: the accumulator, allocated in the first round that has more than one contribution and
// reused. Not thread-safe. Every misuse is a Status; after one the round goes on as if the call had
// not been made, unless said otherwise.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "averaging/accumulator.h"
#include "averaging/grid.h"
#include "averaging/state_layout.h"
#include "averaging/weights.h"
#include "base/status.h"

namespace dl::averaging {

// What a round's mean is a function of, apart from the contributions.
struct RoundOpening {
  Weights weights;  // 0: the worker has no unit in the round
  // What the round's grid is at least: kZeroSegment everywhere, until announcements raise it; to
  // merge a committed round again, the grid of its commit record.
  GridExponents grid;
};

enum class AnnounceOutcome {
  kNoted,
  // The grid was raised: of the segments concerned all that was accumulated is discarded. The
  // caller accumulates those contributions again from the kept floats, and only what is missing of
  // them is added. Never happens when all announcements come before the first contribution.
  kRaised,
};

class RoundMean {
 public:
  // `layout` outlives it.
  explicit RoundMean(const StateLayout& layout) : layout_(layout) {}

  // Begins a round and forgets the one before, finished or not. InvalidArgument when the grid does
  // not fit or no worker has a weight.
  Status Open(RoundOpening opening);

  // Notes what worker's contribution will be like. InvalidArgument for an impossible or a second,
  // different magnitude or a worker without a unit. The same announcement again is kNoted.
  StatusOr<AnnounceOutcome> Announce(int64_t worker, std::span<const double> magnitudes);

  // Adds a worker's contribution, or what is missing of it. InvalidArgument when it does not fit,
  // is not finite, is above the grid or not as announced; FailedPrecondition when all of it is in
  // already.
  Status Accumulate(int64_t worker, std::span<const float> contribution);

  // Adds what the contributions of these workers sum to (averaging/partial_sum.h), instead of each
  // by itself. InvalidArgument and FailedPrecondition as above, and InvalidArgument for a round of
  // one worker or of weights too large for such sums. What the workers keep to themselves is not in
  // it.
  Status AccumulateSum(std::span<const int64_t> workers, std::span<const std::byte> sums);

  // Whether a part of what was accumulated of the worker was discarded since.
  bool IsMissing(int64_t worker) const { return !contributions_[worker].missing.empty(); }

  // For the commit record; final once every worker of the round has announced.
  const GridExponents& grid() const { return grid_; }
  const Weights& weights() const { return weights_; }
  const StateLayout& layout() const { return layout_; }

  // The mean of all global parts, in their order, once every worker of the round is in, else
  // FailedPrecondition. InvalidArgument when `out` does not fit or the mean is not finite: it must
  // not be committed; `out` is then undefined.
  Status Close(std::span<const std::span<float>> out) const;

 private:
  struct Contribution {
    Magnitudes announced;  // empty until it is
    bool accumulated = false;
    std::vector<size_t> missing;  // segments that were raised since; ascending
  };

  bool single() const { return participants_ == 1; }
  Status CheckWorker(int64_t worker) const;
  Status CheckFresh(int64_t worker) const;  // it has a unit, and nothing of it is in
  Status EmptyAccumulator();
  Status KeepSingle(std::span<const float> merged, std::span<const double> announced);

  const StateLayout& layout_;
  GridExponents grid_;
  Weights weights_;
  int64_t participants_ = 0;                 // workers with a unit in the round
  std::vector<Contribution> contributions_;  // by worker
  std::optional<Accumulator>
      accumulator_;            // over layout_.merged; rounds with several contributions
  std::vector<float> single_;  // the merged part of a round's only contribution
};

}  // namespace dl::averaging
