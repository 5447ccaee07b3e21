#include "cli/sweep/halving.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dl::cli {
namespace {

// A figure that is known to exist or to be missing.
struct Known {
  std::optional<double> figure;
};

// Returns the figure by which the trial is judged after `epoch`; nullopt: it is not known yet.
std::optional<Known> FigureAt(const TrialProgress& trial, int64_t epoch) {
  const auto wanted = static_cast<size_t>(std::min(epoch, trial.epochs));
  if (trial.figures.size() >= wanted) return Known{trial.figures[wanted - 1]};
  if (!trial.has_ended) return std::nullopt;
  // Early stopping ends a job as planned.
  if (trial.has_failed || trial.figures.empty()) return Known{};
  return Known{trial.figures.back()};
}

}  // namespace

std::vector<size_t> Ranked(const std::vector<size_t>& trials,
                           const std::vector<std::optional<double>>& figures, Better better) {
  std::vector<size_t> ranked = trials;
  const auto cost = [&](size_t trial) {
    const std::optional<double>& figure = figures[trial];
    if (!figure || !std::isfinite(*figure)) return HUGE_VAL;
    return better == Better::kLarger ? -*figure : *figure;
  };
  std::ranges::stable_sort(ranked, [&](size_t a, size_t b) { return cost(a) < cost(b); });
  return ranked;
}

HalvingPlan PlanHalving(const std::vector<TrialProgress>& trials, Better better) {
  HalvingPlan plan{.stopped_at = std::vector<int64_t>(trials.size())};
  std::vector<size_t> left(trials.size());
  std::iota(left.begin(), left.end(), size_t{0});
  for (int64_t epoch = 1; left.size() > 1; epoch *= 2) {
    if (std::ranges::none_of(left, [&](size_t i) { return trials[i].epochs > epoch; })) break;
    std::vector<std::optional<double>> figures(trials.size());
    for (const size_t i : left) {
      const std::optional<Known> known = FigureAt(trials[i], epoch);
      if (!known) {
        plan.open = epoch;
        return plan;
      }
      figures[i] = known->figure;
    }
    const std::vector<size_t> ranked = Ranked(left, figures, better);
    const auto kept = static_cast<ptrdiff_t>((ranked.size() + 1) / 2);
    Rung rung{.epoch = epoch,
              .kept = {ranked.begin(), ranked.begin() + kept},
              .stopped = {ranked.begin() + kept, ranked.end()}};
    for (const size_t i : rung.stopped) plan.stopped_at[i] = epoch;
    left = rung.kept;
    std::ranges::sort(left);
    plan.rungs.push_back(std::move(rung));
  }
  return plan;
}

}  // namespace dl::cli
