// What is decided statistically in a job, behind one interface: the master, its recovery and the
// simulator drive rounds through it and know nothing else about averaging. A round is
//
//   OpenRound → { AnnounceContribution, AccumulateContribution } in any order per worker →
//   CloseRound
//
// and its result depends on the contributions alone: not on their order, not on the order of the
// announcements.
//
// A strategy is a plain object: no I/O, threads or clock; not thread-safe. Vectors are flat float32
// in the layouts of layout(). Every misuse is a Status; after one the round goes on as if the call
// had not been made, unless said otherwise.
//
// How later strategies extend this: `outer` (Nesterov, FedOpt over the averaged change) has a state
// of its own, so it adds Save and Load of it next to CloseRound; `quorum` adds the decision when a
// round may close; `sync` contributes gradients, so it says what a unit hands back. None of these
// has a caller before such a strategy exists.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "averaging/grid.h"
#include "averaging/state_layout.h"
#include "averaging/weights.h"
#include "base/status.h"

namespace dl::averaging {

// What a round's merge is a function of, apart from the contributions.
struct RoundOpening {
  std::vector<int64_t>
      examples;  // by worker, from the plan; 0: the worker has no unit in the round
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

class Strategy {
 public:
  virtual ~Strategy() = default;

  virtual const StateLayout& layout() const = 0;

  // Magnitudes of the merged segments of a unit's result: what an executor announces. Errors as
  // MeasureMagnitudes.
  virtual StatusOr<Magnitudes> MeasureContribution(std::span<const float> unit_state) const = 0;

  // Begins a round and forgets the one before, finished or not. Errors as NormalizeWeights and
  // CheckGrid.
  virtual Status OpenRound(RoundOpening opening) = 0;

  // Notes what worker's contribution will be like. InvalidArgument for an impossible or a second,
  // different magnitude or a worker without a unit. The same announcement again is kNoted.
  virtual StatusOr<AnnounceOutcome> AnnounceContribution(int64_t worker,
                                                         std::span<const double> magnitudes) = 0;

  // Adds a worker's result, or what is missing of it: the full flat vector of the unit after its
  // steps. InvalidArgument when it does not fit, is not finite, is above the grid or not as
  // announced; FailedPrecondition when all of it is in already.
  virtual Status AccumulateContribution(int64_t worker, std::span<const float> unit_state) = 0;

  // Adds what the results of these workers sum to (averaging/partial_sum.h), instead of each by
  // itself. InvalidArgument and FailedPrecondition as above, and InvalidArgument for a round of one
  // worker or of weights too large for such sums. What the workers keep to themselves is not in it.
  virtual Status AccumulateSum(std::span<const int64_t> workers,
                               std::span<const std::byte> sums) = 0;

  // For the commit record; final once every worker of the round has announced.
  virtual const GridExponents& grid() const = 0;
  virtual const Weights& weights() const = 0;

  // The new global state, once every worker of the round is in, else FailedPrecondition.
  // InvalidArgument when the result is not finite: it must not be committed; `global_state` is then
  // undefined.
  virtual Status CloseRound(std::span<float> global_state) const = 0;
};

}  // namespace dl::averaging
