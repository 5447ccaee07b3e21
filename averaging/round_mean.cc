#include "averaging/round_mean.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace dl::averaging {
namespace {

Status CheckSize(const char* what, size_t got, const SegmentTable& table) {
  if (static_cast<int64_t>(got) == table.size()) return absl::OkStatus();
  return InvalidArgument(
      {.message = absl::StrCat(what, " has ", got, " values, but its table has ", table.size())});
}

}  // namespace

Status RoundMean::Open(RoundOpening opening) {
  DL_RETURN_IF_ERROR(CheckGrid(layout_.merged, opening.grid));
  const auto participants =
      std::count_if(opening.weights.weight.begin(), opening.weights.weight.end(),
                    [](int64_t w) { return w > 0; });
  if (participants == 0)
    return InvalidArgument({.message = "all workers have weight 0 in the round"});
  if (participants > 1) DL_RETURN_IF_ERROR(EmptyAccumulator(opening));
  weights_ = std::move(opening.weights);
  grid_ = std::move(opening.grid);
  participants_ = participants;
  contributions_.assign(weights_.weight.size(), {});
  return absl::OkStatus();
}

Status RoundMean::EmptyAccumulator(const RoundOpening& opening) {
  const int64_t weight_sum = opening.weights.sum;
  if (accumulator_.has_value()) return accumulator_->Reset(opening.grid, weight_sum);
  DL_ASSIGN_OR_RETURN(accumulator_, Accumulator::Create(layout_.merged, opening.grid, weight_sum));
  return absl::OkStatus();
}

Status RoundMean::CheckWorker(int64_t worker) const {
  if (worker >= 0 && worker < static_cast<int64_t>(contributions_.size()) &&
      weights_.weight[worker] > 0) {
    return absl::OkStatus();
  }
  return InvalidArgument({.message = "the round has no unit of this worker",
                          .where = absl::StrCat("worker ", worker)});
}

Status RoundMean::CheckCanAdd(int64_t worker) const {
  DL_RETURN_IF_ERROR(CheckWorker(worker));
  if (!contributions_[worker].accumulated) return absl::OkStatus();
  return FailedPrecondition({.message = "the worker's contribution was already added",
                             .where = absl::StrCat("worker ", worker)});
}

StatusOr<AnnounceOutcome> RoundMean::Announce(int64_t worker, std::span<const double> magnitudes) {
  DL_RETURN_IF_ERROR(CheckWorker(worker));
  DL_RETURN_IF_ERROR(CheckMagnitudes(layout_.merged, magnitudes));
  Magnitudes& announced = contributions_[worker].announced;
  if (!announced.empty()) {
    if (std::ranges::equal(announced, magnitudes)) return AnnounceOutcome::kRecorded;
    return InvalidArgument({.message = "a second announcement differs from the first",
                            .where = absl::StrCat("worker ", worker)});
  }
  announced.assign(magnitudes.begin(), magnitudes.end());
  if (!RaiseGrid(grid_, magnitudes) || single()) return AnnounceOutcome::kRecorded;
  DL_ASSIGN_OR_RETURN(const std::vector<size_t> raised, accumulator_->Raise(grid_));
  if (accumulator_->weight_added() == 0) return AnnounceOutcome::kRecorded;
  for (Contribution& contribution : contributions_) {
    if (!contribution.accumulated) continue;
    std::vector<size_t> missing;
    std::ranges::set_union(contribution.missing, raised, std::back_inserter(missing));
    contribution.missing = std::move(missing);
  }
  return AnnounceOutcome::kRaised;
}

Status RoundMean::Accumulate(int64_t worker, std::span<const float> contribution) {
  DL_RETURN_IF_ERROR(CheckWorker(worker));
  Contribution& known = contributions_[worker];
  if (known.missing.empty()) DL_RETURN_IF_ERROR(CheckCanAdd(worker));
  DL_RETURN_IF_ERROR(CheckSize("a contribution", contribution.size(), layout_.unit));
  if (!known.missing.empty()) {
    DL_RETURN_IF_ERROR(accumulator_->AddMissing(contribution.first(layout_.merged.size()),
                                                weights_.weight[worker], known.missing));
    known.missing.clear();
    return absl::OkStatus();
  }
  // Values that are not merged must be finite too. Merged values are checked when they are added.
  const int64_t merged_size = layout_.merged.size();
  if (merged_size < layout_.unit.size()) {
    DL_RETURN_IF_ERROR(MeasureMagnitudes(layout_.unit, contribution).status());
  }
  const std::span<const float> merged = contribution.first(merged_size);
  if (single()) {
    DL_RETURN_IF_ERROR(KeepSingle(merged, known.announced));
  } else {
    DL_RETURN_IF_ERROR(accumulator_->Add(merged, weights_.weight[worker], known.announced));
  }
  known.accumulated = true;
  return absl::OkStatus();
}

Status RoundMean::AccumulateSum(std::span<const int64_t> workers, std::span<const std::byte> sums) {
  if (single())
    return InvalidArgument({.message = "a round with one contribution takes no partial sum"});
  if (workers.empty()) return InvalidArgument({.message = "a partial sum has no workers"});
  int64_t weight = 0;
  for (size_t i = 0; i < workers.size(); ++i) {
    DL_RETURN_IF_ERROR(CheckCanAdd(workers[i]));
    if (i > 0 && workers[i] <= workers[i - 1])
      return InvalidArgument(
          {.message = "the workers of a partial sum are not in ascending order"});
    weight += weights_.weight[workers[i]];
  }
  DL_RETURN_IF_ERROR(accumulator_->AddSums(sums, weight));
  for (const int64_t worker : workers) contributions_[worker].accumulated = true;
  return absl::OkStatus();
}

Status RoundMean::KeepSingle(std::span<const float> merged, std::span<const double> announced) {
  DL_ASSIGN_OR_RETURN(const Magnitudes magnitudes, MeasureMagnitudes(layout_.merged, merged));
  if (!announced.empty() && !std::ranges::equal(announced, magnitudes)) {
    return InvalidArgument(
        {.message = "a contribution's magnitudes differ from the announced magnitudes"});
  }
  if (GridExponents grid = grid_; RaiseGrid(grid, magnitudes)) {
    return InvalidArgument({.message = "a contribution is above the grid of its round",
                            .remedy = "Announce a contribution's magnitudes before it is added"});
  }
  single_.assign(merged.begin(), merged.end());
  return absl::OkStatus();
}

Status RoundMean::Close(std::span<const std::span<float>> out) const {
  const auto accumulated =
      std::count_if(contributions_.begin(), contributions_.end(),
                    [](const Contribution& c) { return c.accumulated && c.missing.empty(); });
  if (participants_ == 0 || accumulated != participants_) {
    return FailedPrecondition({.message = absl::StrCat("only ", accumulated, " of ", participants_,
                                                       " contributions of the round were added")});
  }
  if (!single()) return accumulator_->Finish(out);
  size_t room = 0;
  for (const std::span<float> part : out) room += part.size();
  DL_RETURN_IF_ERROR(CheckSize("the new state", room, layout_.merged));
  std::span<const float> rest = single_;
  for (const std::span<float> part : out) {
    std::ranges::copy(rest.first(part.size()), part.begin());
    rest = rest.subspan(part.size());
  }
  return absl::OkStatus();
}

}  // namespace dl::averaging
