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

  nn::CachesInBits Caches(nn::Precision precision) const;
};

// Returns all cases, each with one thread and with two.
std::vector<KernelCase> KernelCases();

// Returns a hash of the results of two training steps and an evaluation: the first 16 hexadecimal
// digits of a SHA-256 over states, gradient, predictions, and the sums of metrics if the case
// includes them. A pure function of the case. REQUIRES: the model was made by KernelCases. Not
// thread-safe.
std::string BitsOf(const KernelCase& one, nn::Precision precision);

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
