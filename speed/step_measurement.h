// Measures the training steps of a model: the engine, and other programs that take turns with it in
// blocks of steps, so that a machine whose speed changes is the same for all.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "speed/bound.h"
#include "speed/engine_steps.h"

namespace dl::speed {

// The measured times of one side.
struct Side {
  StepTimes times;
  std::vector<double> losses;  // of the first steps
  int64_t memory_growth = 0;   // bytes
};

// A side that takes part. Both pointers must outlive the measurement.
struct Participant {
  Stepper* stepper = nullptr;
  Side* side = nullptr;
};

// Makes the first steps, whose losses are kept in the side, and one more. They compile what is left
// and return freed memory, before anything is measured. Returns the errors of Stepper::Make.
Status MakeFirstSteps(const Participant& participant);

struct MeasuredModel {
  const nn::ModelConfig& model;
  nn::StepSize size;
  double learning_rate = 0;
};

struct MeasurementOptions {
  MachineSpeed machine;
  int threads = 1;
  nn::Precision precision = nn::Precision::kFloat32;
  nn::KernelSet kernels = nn::KernelSet::kNative;
  int64_t micro_batch = 0;  // as in nn::NetworkOptions
  bool checkpoint_activations = false;
  double seconds = 5;  // of measured steps of each side; at least a few steps are measured
};

struct StepMeasurement {
  int64_t batch = 0;
  int threads = 1;
  nn::Precision precision = nn::Precision::kFloat32;
  nn::KernelSet kernels = nn::KernelSet::kNative;
  std::string updater;  // its name
  nn::StepCost cost;
  Bound bound;  // in float32
  Side engine;
  StepProfile profile;
  std::vector<double> layer_flops;  // of a step, for each layer of `profile`; 0: no products

  // Least milliseconds of a step: of processor time with one thread, otherwise of wall time.
  double Least(const Side& side) const {
    return LeastOf(threads == 1 ? side.times.cpu : side.times.wall);
  }
  double ExamplesPerSecond(const Side& side) const {
    return static_cast<double>(batch) / Least(side) * 1e3;
  }
  double FlopsPerSecond() const { return cost.flops / Least(engine) * 1e3; }
};

// The data and the initial state of a measured model. `data` stays valid until the end of the
// measurement, `state` only during the call of StartOthers.
struct MeasuredStart {
  const StepData& data;
  const std::vector<float>& state;
};
// Starts the other sides. They have made their first steps when it returns. `engine` has its losses
// but no times.
using StartOthers = std::function<StatusOr<std::vector<Participant>>(const MeasuredStart& start,
                                                                     const Side& engine)>;

// Measures the engine on the calling thread, with the others that `start_others` starts, if it is
// not null. Returns its errors and those of nn::Network.
StatusOr<StepMeasurement> MeasureSteps(const MeasuredModel& measured,
                                       const MeasurementOptions& options,
                                       const StartOthers& start_others = nullptr);

}  // namespace dl::speed
