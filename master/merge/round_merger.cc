#include "master/merge/round_merger.h"

#include <algorithm>

#include "base/trace.h"

namespace dl::master {

void RoundMerger::Open(int64_t round, std::vector<int64_t> weights) {
  const Span span(spans::kOpen, {.round = round});
  round_ = round;
  weights_ = std::move(weights);
  added_.clear();
  // A round of one contribution is a copy: nothing to gain.
  const auto units =
      std::count_if(weights_.begin(), weights_.end(), [](int64_t w) { return w > 0; });
  adding_ = units > 1 && !guess_.empty() &&
            strategy_.OpenRound({.examples = weights_, .grid = guess_}).ok();
}

void RoundMerger::Add(int64_t round, const Contribution& contribution) {
  const Span span(spans::kAdd, {.round = round, .index = contribution.worker});
  if (!adding_ || round != round_ || added_.contains(contribution.worker)) return;
  const Status added = AddNow(contribution);
  // A larger magnitude has raised the grid, or an error that Finish will say again.
  if (!added.ok() || strategy_.grid() != guess_) {
    adding_ = false;
    added_.clear();
  }
}

Status RoundMerger::AddNow(const Contribution& contribution) {
  DL_RETURN_IF_ERROR(
      strategy_.AnnounceContribution(contribution.worker, contribution.magnitudes).status());
  DL_RETURN_IF_ERROR(strategy_.AccumulateContribution(contribution.worker, contribution.vector));
  added_[contribution.worker] = contribution.hash;
  return absl::OkStatus();
}

// Whether what has been added is a part of what the round is to be made of.
bool RoundMerger::Holds(int64_t round, const averaging::GridExponents& grid,
                        std::span<const Contribution> contributions) const {
  if (!adding_ || round != round_ || grid != guess_) return false;
  return std::all_of(added_.begin(), added_.end(), [&](const auto& added) {
    return std::any_of(contributions.begin(), contributions.end(), [&](const Contribution& c) {
      return c.worker == added.first && c.hash == added.second;
    });
  });
}

Status RoundMerger::Finish(int64_t round, const averaging::GridExponents& grid,
                           std::span<const Contribution> contributions, std::span<float> global) {
  const Span span(spans::kFinish, {.round = round});
  if (round != round_) return Internal({.message = "another round is open"});
  if (!Holds(round, grid, contributions)) {
    added_.clear();
    DL_RETURN_IF_ERROR(strategy_.OpenRound({.examples = weights_, .grid = grid}));
  }
  added_on_arrival_ = static_cast<int64_t>(added_.size());
  adding_ = false;  // whatever happens now, the next round begins anew
  for (const Contribution& contribution : contributions) {
    if (!added_.contains(contribution.worker)) DL_RETURN_IF_ERROR(AddNow(contribution));
  }
  guess_ = grid;
  return strategy_.CloseRound(global);
}

Status RoundMerger::OpenGather(int64_t round, const averaging::GridExponents& grid) {
  if (round != round_) return Internal({.message = "another round is open"});
  adding_ = false;
  added_.clear();
  return strategy_.OpenRound({.examples = weights_, .grid = grid});
}

Status RoundMerger::AddGathered(const Contribution& contribution) { return AddNow(contribution); }

Status RoundMerger::AddGathered(std::span<const Contribution> contributions,
                                std::span<const std::byte> sums) {
  std::vector<int64_t> workers;
  for (const Contribution& contribution : contributions) workers.push_back(contribution.worker);
  DL_RETURN_IF_ERROR(strategy_.AccumulateSum(workers, sums));
  for (const Contribution& contribution : contributions)
    added_[contribution.worker] = contribution.hash;
  return absl::OkStatus();
}

Status RoundMerger::FinishGathered(std::span<const Contribution> contributions,
                                   std::span<float> global) const {
  const bool all = added_.size() == contributions.size() &&
                   std::all_of(contributions.begin(), contributions.end(), [&](const auto& c) {
                     const auto added = added_.find(c.worker);
                     return added != added_.end() && added->second == c.hash;
                   });
  if (!all)
    return FailedPrecondition({.message = "what was added is not what the round is made of"});
  return strategy_.CloseRound(global);
}

}  // namespace dl::master
