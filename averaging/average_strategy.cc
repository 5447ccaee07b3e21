#include "averaging/average_strategy.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace dl::averaging {
namespace {

Status CheckSize(const char* what, size_t got, const SegmentTable& table) {
  if (static_cast<int64_t>(got) == table.size()) return absl::OkStatus();
  return InvalidArgument(
      {.message = absl::StrCat(what, " has ", got, " values, its table ", table.size())});
}

}  // namespace

StatusOr<Magnitudes> AverageStrategy::MeasureContribution(std::span<const float> unit_state) const {
  DL_RETURN_IF_ERROR(CheckSize("a contribution", unit_state.size(), layout_.unit));
  // All of it is checked, also what is not merged: a worker's kept momentum is trained on like a
  // parameter.
  DL_ASSIGN_OR_RETURN(Magnitudes magnitudes, MeasureMagnitudes(layout_.unit, unit_state));
  magnitudes.resize(layout_.merged.segments().size());
  return magnitudes;
}

Status AverageStrategy::OpenRound(RoundOpening opening) {
  DL_RETURN_IF_ERROR(CheckGrid(layout_.merged, opening.grid));
  DL_ASSIGN_OR_RETURN(Weights weights, NormalizeWeights(opening.examples));
  weights_ = std::move(weights);
  grid_ = std::move(opening.grid);
  participants_ = std::count_if(weights_.weight.begin(), weights_.weight.end(),
                                [](int64_t w) { return w > 0; });
  contributions_.assign(weights_.weight.size(), {});
  return single() ? absl::OkStatus() : EmptyAccumulator();
}

Status AverageStrategy::EmptyAccumulator() {
  if (accumulator_.has_value()) return accumulator_->Reset(grid_, weights_.sum);
  DL_ASSIGN_OR_RETURN(accumulator_, Accumulator::Create(layout_.merged, grid_, weights_.sum));
  return absl::OkStatus();
}

Status AverageStrategy::CheckWorker(int64_t worker) const {
  if (worker >= 0 && worker < static_cast<int64_t>(contributions_.size()) &&
      weights_.weight[worker] > 0) {
    return absl::OkStatus();
  }
  return InvalidArgument({.message = "the round has no unit of this worker",
                          .where = absl::StrCat("worker ", worker)});
}

Status AverageStrategy::CheckFresh(int64_t worker) const {
  DL_RETURN_IF_ERROR(CheckWorker(worker));
  if (!contributions_[worker].accumulated) return absl::OkStatus();
  return FailedPrecondition({.message = "the worker's contribution is in already",
                             .where = absl::StrCat("worker ", worker)});
}

StatusOr<AnnounceOutcome> AverageStrategy::AnnounceContribution(
    int64_t worker, std::span<const double> magnitudes) {
  DL_RETURN_IF_ERROR(CheckWorker(worker));
  DL_RETURN_IF_ERROR(CheckMagnitudes(layout_.merged, magnitudes));
  Magnitudes& announced = contributions_[worker].announced;
  if (!announced.empty()) {
    if (std::ranges::equal(announced, magnitudes)) return AnnounceOutcome::kNoted;
    return InvalidArgument({.message = "a second announcement differs from the first",
                            .where = absl::StrCat("worker ", worker)});
  }
  announced.assign(magnitudes.begin(), magnitudes.end());
  if (!RaiseGrid(grid_, magnitudes) || single()) return AnnounceOutcome::kNoted;
  DL_ASSIGN_OR_RETURN(const std::vector<size_t> raised, accumulator_->Raise(grid_));
  if (accumulator_->weight_added() == 0) return AnnounceOutcome::kNoted;
  for (Contribution& contribution : contributions_) {
    if (!contribution.accumulated) continue;
    std::vector<size_t> missing;
    std::ranges::set_union(contribution.missing, raised, std::back_inserter(missing));
    contribution.missing = std::move(missing);
  }
  return AnnounceOutcome::kRaised;
}

Status AverageStrategy::AccumulateContribution(int64_t worker, std::span<const float> unit_state) {
  DL_RETURN_IF_ERROR(CheckWorker(worker));
  Contribution& contribution = contributions_[worker];
  if (contribution.missing.empty()) DL_RETURN_IF_ERROR(CheckFresh(worker));
  DL_RETURN_IF_ERROR(CheckSize("a contribution", unit_state.size(), layout_.unit));
  if (!contribution.missing.empty()) {
    DL_RETURN_IF_ERROR(accumulator_->AddMissing(unit_state.first(layout_.merged.size()),
                                                weights_.weight[worker], contribution.missing));
    contribution.missing.clear();
    return absl::OkStatus();
  }
  // What is not merged must be finite too; what is merged is checked where it is added.
  const int64_t merged_size = layout_.merged.size();
  if (merged_size < layout_.unit.size()) {
    DL_RETURN_IF_ERROR(MeasureMagnitudes(layout_.unit, unit_state).status());
  }
  const std::span<const float> merged = unit_state.first(merged_size);
  if (single()) {
    DL_RETURN_IF_ERROR(KeepSingle(merged, contribution.announced));
  } else {
    DL_RETURN_IF_ERROR(accumulator_->Add(merged, weights_.weight[worker], contribution.announced));
  }
  contribution.accumulated = true;
  return absl::OkStatus();
}

Status AverageStrategy::AccumulateSum(std::span<const int64_t> workers,
                                      std::span<const std::byte> sums) {
  if (single()) return InvalidArgument({.message = "a round of one contribution has no sum"});
  int64_t weight = 0;
  for (size_t i = 0; i < workers.size(); ++i) {
    DL_RETURN_IF_ERROR(CheckFresh(workers[i]));
    if (i > 0 && workers[i] <= workers[i - 1])
      return InvalidArgument({.message = "the workers of a sum do not ascend"});
    weight += weights_.weight[workers[i]];
  }
  DL_RETURN_IF_ERROR(accumulator_->AddSums(sums, weight));
  for (const int64_t worker : workers) contributions_[worker].accumulated = true;
  return absl::OkStatus();
}

Status AverageStrategy::KeepSingle(std::span<const float> merged,
                                   std::span<const double> announced) {
  DL_ASSIGN_OR_RETURN(const Magnitudes magnitudes, MeasureMagnitudes(layout_.merged, merged));
  if (!announced.empty() && !std::ranges::equal(announced, magnitudes)) {
    return InvalidArgument({.message = "a contribution's magnitudes are not the announced ones"});
  }
  single_.assign(merged.begin(), merged.end());
  return absl::OkStatus();
}

Status AverageStrategy::CloseRound(std::span<float> global_state) const {
  DL_RETURN_IF_ERROR(CheckSize("the new global state", global_state.size(), layout_.global));
  const int64_t accumulated =
      std::count_if(contributions_.begin(), contributions_.end(),
                    [](const Contribution& c) { return c.accumulated && c.missing.empty(); });
  if (participants_ == 0 || accumulated != participants_) {
    return FailedPrecondition({.message = absl::StrCat(accumulated, " of ", participants_,
                                                       " contributions of the round are in")});
  }
  const std::span<float> merged = global_state.first(layout_.merged.size());
  if (single()) {
    std::ranges::copy(single_, merged.begin());
  } else {
    DL_RETURN_IF_ERROR(accumulator_->Finish(merged));
  }
  std::ranges::fill(global_state.subspan(merged.size()), 0.0f);  // `reset`
  return absl::OkStatus();
}

}  // namespace dl::averaging
