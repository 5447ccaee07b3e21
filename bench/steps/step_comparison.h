// Measures one task: the engine and its rivals take turns in blocks of steps.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "bench/steps/bound.h"
#include "bench/steps/engine_steps.h"
#include "bench/steps/rival.h"

namespace dl::bench {

struct ComparisonSettings {
  MachineSpeed machine;
  RivalSettings rivals;
  std::vector<RivalKind> kinds;
  nn::Precision precision = nn::Precision::kFloat32;  // of the engine
  double seconds = 5;  // of measured steps of each side; at least a few steps are measured
};

// The measured times of one side.
struct Side {
  StepTimes times;
  std::vector<double> losses;  // of the first steps
  int64_t memory_growth = 0;
};

struct RivalSide : Side {
  RivalKind kind{};
  std::string version;
  double sgemm = 0;
  bool channels_last = false;
  // Largest relative difference from the losses of the engine in the first steps.
  double loss_difference = 0;
  double largest_difference = 0;  // that is accepted
  // Without equal losses, the sides do not compute the same, and times must not be compared.
  bool losses_agree() const { return loss_difference <= largest_difference; }
};

struct Comparison {
  BenchTask task;
  std::string updater;  // its name
  nn::StepCost cost;
  Bound bound;
  Side engine;
  StepProfile profile;
  std::vector<RivalSide> rivals;

  // Least milliseconds of a step: of processor time with one thread, otherwise of wall time.
  double Least(const Side& side) const {
    return LeastOf(threads == 1 ? side.times.cpu : side.times.wall);
  }
  int threads = 1;
};

// Returns the errors of the engine and of Rival.
StatusOr<Comparison> Compare(const BenchTask& task, const ComparisonSettings& settings);

// Returns the largest relative difference of the two lists. REQUIRES: equal lengths.
double LossDifference(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace dl::bench
