// A state and a minibatch of a model, the same for engine and reference.
#pragma once

#include <vector>

#include "nn/network.h"
#include "tests/gradient/reference/reference_network.h"

namespace dl::gradient {

struct Example {
  // Laid out by FullTable(model, examples); no tensor has a special value.
  std::vector<float> state;
  int64_t examples = 0;
  std::vector<float> features;
  std::vector<int32_t> labels;  // either labels or targets, as the outputs require
  std::vector<float> targets;
  std::vector<float> weights = {};  // of the examples; empty: all are 1

  nn::Minibatch ForEngine() const;
  reference::Minibatch ForReference() const;
};

inline constexpr reference::Place kPlace{.epoch = 2, .round = 5, .worker = 3, .step = 7};
nn::StepContext ContextAt(const reference::Place& place, const reference::Step& step);

// Tries random examples until all values stay at least `kink_distance` away from points without a
// derivative (0 of a rectifier, equal maxima). Adds a test failure if none is found.
Example MakeExample(const nn::ModelConfig& model, int64_t examples, double kink_distance);

}  // namespace dl::gradient
