// The weighted mean of a round's contributions, which are added as they arrive:
//
//   Open -> { Announce, Accumulate } for each worker -> Close
//
// A contribution must fit the grid of the round, which announcements raise. A worker's Announce may
// follow its Accumulate, or be left out, if the grid is high enough already. The mean depends only
// on the opening, the announcements and the contributions, not on their order. A round with a
// single contribution copies it.
//
// Memory: one accumulator, which is allocated in the first round that has more than one
// contribution, and reused. After a round with a single contribution, also a copy of its merged
// part. Not thread-safe. Misuse is reported as a Status. The call then has no effect on the round,
// unless the function says otherwise.
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

// Everything but the contributions that determines a round's mean.
struct RoundOpening {
  Weights weights;  // by worker; 0: the worker has no unit in the round
  // The lowest grid of the round, which announcements raise: kZeroSegment everywhere for a new
  // round, or the grid of the commit record to merge a committed round again.
  GridExponents grid;
};

enum class AnnounceOutcome {
  kRecorded,
  // The grid was raised, and the sums of the raised segments are discarded. The caller must call
  // Accumulate again with the stored contributions; only the discarded segments are added. This
  // never happens if all announcements come before the first contribution.
  kRaised,
};

class RoundMean {
 public:
  // `layout` must outlive the object.
  explicit RoundMean(const StateLayout& layout) : layout_(layout) {}

  // Begins a round and discards the previous round, finished or not. Returns InvalidArgument and
  // keeps the previous round in these cases:
  //   - The grid does not fit.
  //   - All weights are 0.
  //   - Several workers have a weight, and the sum of weights is not in 1..kMaxWeightSum.
  Status Open(RoundOpening opening);

  // Records the magnitudes of a worker's contribution. They are not compared with a contribution
  // that has already been added. Returns InvalidArgument for an impossible magnitude, for a second
  // announcement that differs from the first, or for a worker without a unit. Repeating the same
  // announcement returns kRecorded.
  StatusOr<AnnounceOutcome> Announce(int64_t worker, std::span<const double> magnitudes);

  // Adds a worker's contribution, or the segments of it that are missing. Returns InvalidArgument
  // if the worker has no unit in the round, or if the contribution does not fit, is not finite, is
  // above the grid or differs from an earlier announcement. Missing segments are not compared with
  // the announcement, so the caller must pass the same contribution again. Returns
  // FailedPrecondition if the whole contribution has already been added.
  Status Accumulate(int64_t worker, std::span<const float> contribution);

  // Adds the sum of the contributions of `workers` (averaging/partial_sum.h) instead of each
  // contribution. `workers` must be in ascending order. `sums` has only global parts, no parts with
  // PartScope::kWorker. Returns FailedPrecondition if a contribution of these workers has already
  // been added, also if segments of it are missing. Returns InvalidArgument for a worker without a
  // unit, for no workers or another order, for a round of one worker, and for sums or weights that
  // do not fit.
  Status AccumulateSum(std::span<const int64_t> workers, std::span<const std::byte> sums);

  // Returns true if the worker's contribution was added and segments of it were discarded later.
  // REQUIRES: 0 <= worker < number of weights.
  bool IsMissing(int64_t worker) const { return !contributions_[worker].missing.empty(); }

  // The grid for the commit record. Final after every worker of the round has announced.
  const GridExponents& grid() const { return grid_; }
  const Weights& weights() const { return weights_; }
  const StateLayout& layout() const { return layout_; }

  // Writes the mean of all global parts to the spans in `out`, which together cover
  // layout().merged in its order. No segment may cross from one span to the next. Returns
  // FailedPrecondition until the contribution of every worker of the round has been added. Returns
  // InvalidArgument if `out` does not fit or if the mean is not finite and therefore must not be
  // committed. The content of `out` is unspecified after an error.
  Status Close(std::span<const std::span<float>> out) const;

 private:
  struct Contribution {
    Magnitudes announced;  // empty before the announcement
    bool accumulated = false;
    std::vector<size_t> missing;  // segments discarded since they were added; ascending
  };

  bool single() const { return participants_ == 1; }
  Status CheckWorker(int64_t worker) const;
  Status CheckCanAdd(int64_t worker) const;  // has a unit, and nothing of it has been added
  Status EmptyAccumulator(const RoundOpening& opening);
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
