// Measures one task: the engine and its rivals take turns in blocks of steps. A block takes about a
// quarter of a second.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "bench/steps/rival.h"
#include "speed/measurement_report.h"

namespace dl::bench {

struct ComparisonSettings {
  speed::UsedMachine machine;  // of the engine
  RivalSettings rivals;
  std::vector<RivalKind> kinds;
  double seconds = 5;  // of measured steps of each side; at least three blocks are measured
};

struct RivalSide : speed::Side {
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
  speed::StepMeasurement engine;
  std::vector<RivalSide> rivals;

  // Least milliseconds of a step.
  double Least(const RivalSide& rival) const { return engine.Least(rival); }
  double Least() const { return engine.Least(engine.engine); }
};

// Runs the engine in this process and each rival in a process of its own, and returns the
// measurements. Returns the errors of the model, the engine and Rival.
StatusOr<Comparison> Compare(const BenchTask& task, const ComparisonSettings& settings);

// Returns the largest relative difference of two losses at the same position: 0 for equal losses,
// infinity if a loss is not finite. REQUIRES: equal lengths.
double LossDifference(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace dl::bench
