// Networks in the shapes that people train, one or a few kernels each: what a table of bits is made
// of.
#pragma once

#include <string>
#include <vector>

#include "base/log.h"
#include "base/status.h"
#include "nn/conf/contract_id.h"
#include "nn/conf/model_config.h"

namespace dl::test {

// These shapes are right: whatever fails here is a bug.
template <typename T>
T Must(StatusOr<T> made) {
  DL_CHECK(made.ok());
  return *std::move(made);
}

struct KernelCase {
  std::string name;
  std::string shapes;  // those of one text begin with the same state and minibatch
  nn::ModelConfig model;
  int64_t batch = 0;
  int threads = 1;
  bool with_sums = false;  // the reported losses are part of its bits

  nn::CachesInBits Caches() const;
};

// Each with one thread and with two.
std::vector<KernelCase> KernelCases();

// SHA-256 over what two training steps and an evaluation leave behind: states, gradient,
// predictions, and the sums of their metrics where the case has them.
// A pure function of the case; REQUIRES: a model that KernelCases made.
// Not thread-safe.
std::string BitsOf(const KernelCase& one);
// Makes its state and its minibatch, which stay, without a kernel.
void MakeReady(const KernelCase& one);

}  // namespace dl::test
