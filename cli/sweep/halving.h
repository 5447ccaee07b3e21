// Successive halving (Jamieson and Talwalkar, "Non-stochastic best arm identification and
// hyperparameter optimization", 2016): all jobs of a sweep train one epoch, the better half two,
// the better half of these four, and so on.
//
// Decisions are a pure function of committed figures at the ends of epochs. They do not depend on
// when the figures arrive, and therefore not on the cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace dl::cli {

// The course of one job of a sweep so far.
struct TrialProgress {
  int64_t epochs = 1;  // that the job has in all
  // The metric after each complete epoch, from the first one; nullopt: not known or no number.
  std::vector<std::optional<double>> figures;
  bool has_ended = false;
  bool has_failed = false;  // ended, and not as planned
};

enum class Better : uint8_t { kSmaller, kLarger };

// The decision after an epoch.
struct Rung {
  int64_t epoch = 0;
  std::vector<size_t> kept, stopped;  // indices of trials, the best first

  bool operator==(const Rung&) const = default;
};

struct HalvingPlan {
  std::vector<Rung> rungs;  // decided so far
  // Epoch of the next decision; 0: there is none. Trials that have completed it wait.
  int64_t open = 0;
  std::vector<int64_t> stopped_at;  // epoch at which each trial was stopped; 0: it was not
};

// Decides at the epochs 1, 2, 4, … while more than one trial is left and one of them has more
// epochs. A rung keeps the better half, rounded up. It is decided when each trial that is left has
// its figure: of this epoch, or its last one if the trial has fewer epochs. Trials without a figure
// come last. Equal trials are ordered by their index.
HalvingPlan PlanHalving(const std::vector<TrialProgress>& trials, Better better);

// Returns the indices in `trials` ordered by their figures, the best first. `figures` has an entry
// for each trial of the sweep: that of trial i is figures[i]. Missing and infinite figures come
// last.
std::vector<size_t> Ranked(const std::vector<size_t>& trials,
                           const std::vector<std::optional<double>>& figures, Better better);

}  // namespace dl::cli
