#include "master/merge/round_merger.h"

#include <algorithm>
#include <utility>

#include "base/trace.h"

namespace dl::master {

void RoundMerger::Open(int64_t round, std::vector<int64_t> examples) {
  const Span span(spans::kOpen, {.round = round});
  round_ = round;
  examples_ = std::move(examples);
  added_.clear();
  // The mean of a single contribution is a copy, so adding on arrival gains nothing.
  const auto units =
      std::count_if(examples_.begin(), examples_.end(), [](int64_t n) { return n > 0; });
  adding_ = units > 1 && OpenMean(strategy_->EmptyGrid()).ok();
}

Status RoundMerger::OpenMean(averaging::GridExponents grid) {
  DL_ASSIGN_OR_RETURN(averaging::Weights weights, strategy_->WeightsOf(examples_));
  return mean_.Open({.weights = std::move(weights), .grid = std::move(grid)});
}

void RoundMerger::Add(int64_t round, const Contribution& contribution) {
  const Span span(spans::kAdd, {.round = round, .index = contribution.worker});
  if (!adding_ || round != round_ || added_.contains(contribution.worker)) return;
  Status added = AddNow(contribution);
  if (added.ok()) added = AddMissing();
  if (added.ok()) return;
  adding_ = false;  // Finish adds everything again and returns the error
  added_.clear();
}

Status RoundMerger::AddNow(const Contribution& contribution) {
  DL_RETURN_IF_ERROR(mean_.Announce(contribution.worker, contribution.magnitudes).status());
  DL_RETURN_IF_ERROR(mean_.Accumulate(contribution.worker, contribution.vector->span()));
  added_.insert_or_assign(contribution.worker, contribution);
  return absl::OkStatus();
}

// Adds contributions again to the segments whose grid was raised.
Status RoundMerger::AddMissing() {
  for (const auto& [worker, contribution] : added_) {
    if (!mean_.IsMissing(worker)) continue;
    DL_RETURN_IF_ERROR(mean_.Accumulate(worker, contribution.vector->span()));
  }
  return absl::OkStatus();
}

bool RoundMerger::IsIn(const Contribution& contribution) const {
  const auto added = added_.find(contribution.worker);
  return added != added_.end() && added->second.hash == contribution.hash;
}

Status RoundMerger::Finish(int64_t round, const averaging::GridExponents& grid,
                           std::span<const Contribution> contributions, Parts global) {
  const Span span(spans::kFinish, {.round = round});
  if (round != round_) return Internal({.message = "another round is open"});
  const auto in = std::count_if(contributions.begin(), contributions.end(),
                                [this](const auto& c) { return IsIn(c); });
  const bool holds = std::exchange(adding_, false) && in == static_cast<int64_t>(added_.size());
  added_on_arrival_ = holds ? in : 0;
  Status closed;
  if (holds) {
    for (const Contribution& contribution : contributions) {
      if (closed.ok() && !IsIn(contribution)) closed = AddNow(contribution);
    }
    if (closed.ok()) closed = AddMissing();
  }
  if (!holds || !closed.ok() || mean_.grid() != grid) {
    added_on_arrival_ = 0;
    closed = AddAll(grid, contributions);
  }
  added_.clear();
  DL_RETURN_IF_ERROR(closed);
  return mean_.Close(global);
}

Status RoundMerger::AddAll(const averaging::GridExponents& grid,
                           std::span<const Contribution> contributions) {
  added_.clear();
  DL_RETURN_IF_ERROR(OpenMean(grid));
  for (const Contribution& contribution : contributions) DL_RETURN_IF_ERROR(AddNow(contribution));
  return absl::OkStatus();
}

Status RoundMerger::OpenGather(int64_t round, const averaging::GridExponents& grid) {
  if (round != round_) return Internal({.message = "another round is open"});
  adding_ = false;
  added_.clear();
  return OpenMean(grid);
}

Status RoundMerger::AddGathered(const Contribution& contribution) {
  DL_RETURN_IF_ERROR(AddNow(contribution));
  added_.at(contribution.worker).vector.reset();
  return absl::OkStatus();
}

Status RoundMerger::AddGathered(std::span<const Contribution> contributions,
                                std::span<const std::byte> sums) {
  std::vector<int64_t> workers;
  for (const Contribution& contribution : contributions) workers.push_back(contribution.worker);
  DL_RETURN_IF_ERROR(mean_.AccumulateSum(workers, sums));
  for (const Contribution& contribution : contributions)
    added_.insert_or_assign(contribution.worker, contribution);
  return absl::OkStatus();
}

Status RoundMerger::FinishGathered(std::span<const Contribution> contributions,
                                   Parts global) const {
  const bool all = added_.size() == contributions.size() &&
                   std::all_of(contributions.begin(), contributions.end(),
                               [this](const auto& c) { return IsIn(c); });
  if (!all)
    return FailedPrecondition(
        {.message = "the added contributions differ from the contributions of the round"});
  return mean_.Close(global);
}

}  // namespace dl::master
