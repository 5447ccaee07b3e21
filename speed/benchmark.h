// Measures a model on this machine: the speeds of the machine, and training steps on random data.
#pragma once

#include <string>

#include "base/status.h"
#include "speed/measurement_report.h"

namespace dl::speed {

struct BenchmarkOptions {
  nn::StepSize size;
  std::string isa;  // name of an instruction set; empty: the best of the CPU
  int threads = 1;
  nn::Precision precision = nn::Precision::kFloat32;
  nn::KernelSet kernels = nn::KernelSet::kNative;
  int64_t micro_batch = 0;  // as in nn::NetworkOptions
  bool checkpoint_activations = false;
  double seconds = 3;  // of measured steps; at least a few steps are measured
};

struct Benchmark {
  UsedMachine machine;
  StepMeasurement measurement;
};

// Measures on the calling thread and on new threads. Returns FailedPrecondition if:
//   - the CPU lacks the instruction set, or cannot compute in the precision,
//   - this process computes with another instruction set,
//   - the network and its minibatches need more memory than this process may use.
// Returns InvalidArgument for an unknown `isa`. Other errors are those of MeasureSteps. REQUIRES:
// OMP_WAIT_POLICY is passive.
StatusOr<Benchmark> RunBenchmark(const nn::ModelConfig& model, const BenchmarkOptions& options);

// Uses the named instruction set, or the best of the CPU if `isa` is empty, in this process.
// Returns the instruction set of the kernel contract under which it computes in this precision.
// Returns InvalidArgument for an unknown name, and the first two errors of RunBenchmark.
StatusOr<nn::Isa> UseIsa(const std::string& isa, nn::Precision precision);

}  // namespace dl::speed
