// Networks in usual shapes, with one or a few kernels each. Tables of bits are computed from them.
#pragma once

#include <string>
#include <vector>

#include "base/log.h"
#include "base/status.h"
#include "nn/conf/contract_id.h"
#include "nn/conf/model_config.h"
#include "nn/network.h"

namespace dl::test {

// Returns the value. Ends the process on an error, because these shapes are valid and an error is a
// bug.
template <typename T>
T Must(StatusOr<T> made) {
  DL_CHECK(made.ok());
  return *std::move(made);
}

struct KernelCase {
  std::string name;
  std::string shapes;  // cases with equal text start with the same state and minibatch
  nn::ModelConfig model;
  int64_t batch = 0;
  int threads = 1;
  bool with_sums = false;  // whether the reported losses are part of the bits
  int64_t steps = 2;       // the first computes the gradient only, the others train

  nn::CachesInBits Caches(nn::Precision precision) const;
};

// Returns all cases, each with one thread and with two.
std::vector<KernelCase> KernelCases();

// Returns small cases of all models of the zoo, which train for 10 steps.
std::vector<KernelCase> ZooCases();

// Returns a hash of the results of the case's steps and an evaluation: the first 16 hexadecimal
// digits of a SHA-256 over states, gradient, predictions, and the sums of metrics if the case
// includes them. A pure function of the case and the kernels. Checks that portable kernels are not
// those of oneDNN. REQUIRES: KernelCases or ZooCases made the case. Not thread-safe.
std::string BitsOf(const KernelCase& one, nn::Precision precision,
                   nn::KernelSet kernels = nn::KernelSet::kNative);

// A state, and a minibatch that the case trains on.
struct KernelSample {
  std::vector<float> state, features;
  std::vector<int32_t> labels;
  std::vector<float> targets;
  std::vector<int32_t> lengths;

  // Returns the minibatch. It refers to this object.
  nn::Minibatch BatchOf(const KernelCase& one) const;
};
// Returns the sample of the case, which depends only on its shapes. Creates it in the first call
// and keeps it. Runs no kernel.
const KernelSample& SampleFor(const KernelCase& one);

}  // namespace dl::test
