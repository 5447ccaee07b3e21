// `average`: the new state is the mean of the workers' states, weighted by the examples that each
// trained, with batch-norm moments pooled. (McDonald, Hall, Mann: "Distributed training strategies
// for the structured perceptron", 2010; McMahan et al.: "Communication-efficient learning of deep
// networks from decentralized data", 2017.)
#pragma once

#include <optional>

#include "averaging/accumulator.h"
#include "averaging/strategy.h"

namespace dl::averaging {

// Guarantee: invariant. A round with a single contribution copies it. Memory: the accumulator,
// allocated in the first round that has more than one contribution and reused.
class AverageStrategy final : public Strategy {
 public:
  explicit AverageStrategy(StateLayout layout) : layout_(std::move(layout)) {}

  const StateLayout& layout() const override { return layout_; }
  StatusOr<Magnitudes> MeasureContribution(std::span<const float> unit_state) const override;
  Status OpenRound(RoundOpening opening) override;
  StatusOr<AnnounceOutcome> AnnounceContribution(int64_t worker,
                                                 std::span<const double> magnitudes) override;
  Status AccumulateContribution(int64_t worker, std::span<const float> unit_state) override;
  Status AccumulateSum(std::span<const int64_t> workers, std::span<const std::byte> sums) override;
  // Whether a part of what was accumulated of the worker was discarded since.
  bool IsMissing(int64_t worker) const { return !contributions_[worker].missing.empty(); }
  const GridExponents& grid() const override { return grid_; }
  const Weights& weights() const override { return weights_; }
  Status CloseRound(std::span<float> global_state) const override;

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

  StateLayout layout_;
  GridExponents grid_;
  Weights weights_;
  int64_t participants_ = 0;                 // workers with a unit in the round
  std::vector<Contribution> contributions_;  // by worker
  std::optional<Accumulator>
      accumulator_;            // over layout_.merged; rounds with several contributions
  std::vector<float> single_;  // the merged part of a round's only contribution
};

}  // namespace dl::averaging
