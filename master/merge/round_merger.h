// Merges a round on arrival: contributions are added while others are still computed.
//
// The grid of a round is known only when all units are announced (master/core determines it). Until
// then, the grid of the contributions that have arrived is used. A larger contribution raises it
// for some segments, and only these segments are added again, from the kept vectors. If an added
// contribution was withdrawn, or the grid differs, Finish adds everything again. This costs time
// but never changes a bit.
//
// In a gathered round the grid is known before the first contribution, and none is kept.
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
#include "master/merge/round_state.h"

namespace dl::master {

// Not thread-safe.
class RoundMerger {
 public:
  explicit RoundMerger(std::shared_ptr<const averaging::Strategy> strategy)
      : strategy_(std::move(strategy)), mean_(strategy_->layout()) {}

  struct Contribution {
    int32_t worker = 0;
    uint64_t hash = 0;  // identifies the content
    SharedVector vector;
    averaging::Magnitudes magnitudes;
  };

  // Destination of a mean: the global parts, in the layout's order.
  using Parts = std::span<const std::span<float>>;

  // Starts a round and forgets the previous one. `examples` is by worker, 0 for none.
  void Open(int64_t round, std::vector<int64_t> examples);
  // Adds a verified contribution of the open round, and keeps its vector until the round is
  // finished. Ignores contributions of other rounds and further contributions of a worker. Does
  // nothing in a round with a single contribution or after an error, because Finish() then adds
  // everything.
  void Add(int64_t round, const Contribution& contribution);
  // Writes the mean of exactly these contributions on `grid` to all global parts. Errors are those
  // of RoundMean, and Internal if another round is open.
  Status Finish(int64_t round, const averaging::GridExponents& grid,
                std::span<const Contribution> contributions, Parts global);

  // Starts a gather of the open round on this grid. Forgets what was added to the round. Returns
  // the errors of RoundMean::Open, and Internal if another round is open.
  Status OpenGather(int64_t round, const averaging::GridExponents& grid);
  // Adds a verified contribution, or the sum of several (averaging/partial_sum.h). Contributions of
  // a sum need neither vectors nor magnitudes. Errors are those of RoundMean. REQUIRES: OpenGather
  // returned OK.
  Status AddGathered(const Contribution& contribution);
  Status AddGathered(std::span<const Contribution> contributions, std::span<const std::byte> sums);
  // Writes the mean. Returns FailedPrecondition unless exactly these contributions were added, and
  // the errors of RoundMean::Close.
  Status FinishGathered(std::span<const Contribution> contributions, Parts global) const;

  const averaging::GridExponents& grid() const { return mean_.grid(); }  // grid of the open round
  const averaging::Weights& weights() const { return mean_.weights(); }

  // Number of contributions that were added before the last Finish(); 0 if it added all of them
  // again.
  int64_t added_on_arrival() const { return added_on_arrival_; }

 private:
  Status AddNow(const Contribution& contribution);
  Status AddMissing();
  Status AddAll(const averaging::GridExponents& grid, std::span<const Contribution> contributions);
  bool IsIn(const Contribution& contribution) const;

  Status OpenMean(averaging::GridExponents grid);

  std::shared_ptr<const averaging::Strategy> strategy_;
  averaging::RoundMean mean_;
  int64_t round_ = -1;
  std::vector<int64_t> examples_;
  bool adding_ = false;  // contributions are added on arrival, without an error so far
  std::map<int32_t, Contribution> added_;  // by worker; without vectors if gathered
  int64_t added_on_arrival_ = 0;
};

}  // namespace dl::master
