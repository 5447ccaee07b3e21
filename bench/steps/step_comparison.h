// Measures one task: the engine and its rivals take turns in blocks of steps. A block takes about a
// quarter of a second.
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
  double seconds = 5;  // of measured steps of each side; at least three blocks are measured
};

// The measurements of one side.
struct Side {
  StepTimes times;
  std::vector<double> losses;  // of the first three steps, which are not timed
  int64_t memory_growth = 0;   // Stepper::MemoryGrowth, in bytes
};

struct RivalSide : Side {
  // As in Rival.
  RivalKind kind{};
  std::string version;
  double sgemm = 0;
  bool channels_last = false;

  double loss_difference = 0;     // LossDifference of `losses` and those of the engine
  double largest_difference = 0;  // largest loss_difference that is accepted
  // If the losses do not agree, the sides compute different things, and their times must not be
  // compared.
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

// Runs the engine in this process and each rival in a process of its own, and returns the
// measurements. Returns the errors of the model, the engine and Rival.
StatusOr<Comparison> Compare(const BenchTask& task, const ComparisonSettings& settings);

// Returns the largest relative difference of two losses at the same position. Returns infinity if a
// loss is NaN. REQUIRES: equal lengths.
double LossDifference(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace dl::bench
