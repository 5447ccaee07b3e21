// Shows measurements, for people and as JSON.
#pragma once

#include <cstddef>
#include <string>

#include "base/json_fwd.h"
#include "speed/step_measurement.h"

namespace dl::speed {

// The machine and what of it is used.
struct UsedMachine {
  MachineSpeed speed;
  nn::Isa isa = nn::Isa::kAvx512;
  int threads = 1;
  nn::Precision precision = nn::Precision::kFloat32;
  nn::KernelSet kernels = nn::KernelSet::kNative;
};

// Returns the lines about the machine with which the output begins.
std::string DescribeMachine(const UsedMachine& machine);
Json MachineJson(const UsedMachine& machine);

// Returns the lines about a measured model and its engine: examples a second, time of a step, share
// of the peak, bound.
std::string DescribeSpeed(const StepMeasurement& measurement, const MachineSpeed& machine);
// Returns the tables of layers and kernels. `rows` limits each of them; the longest are shown.
std::string DescribeProfile(const StepMeasurement& measurement, size_t rows);
// `machine` is the one that was measured.
Json MeasurementJson(const StepMeasurement& measurement, const MachineSpeed& machine);
Json SideJson(const StepMeasurement& measurement, const Side& side);

}  // namespace dl::speed
