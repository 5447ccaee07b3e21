// A state and a minibatch for a model, the same for engine and reference.
#pragma once

#include <vector>

#include "nn/network.h"
#include "tests/gradient/reference/network.h"

namespace dl::gradient {

struct Example {
  std::vector<float> state;  // by FullTable(model, examples), no tensor at a special value
  int64_t examples = 0;
  std::vector<float> features;
  std::vector<int32_t> labels;  // one of labels and targets, as the outputs want it
  std::vector<float> targets;
  std::vector<float> weights = {};  // of examples; empty: each is 1

  nn::Minibatch ForEngine() const;
  reference::Minibatch ForReference() const;
};

inline constexpr reference::Place kPlace{.epoch = 2, .round = 5, .worker = 3, .step = 7};
nn::StepContext ContextAt(const reference::Place& place, const reference::Step& step);

// The first of a row of random examples whose values all stay `kink_distance` away from points
// without a derivative (a rectifier's 0, equal maxima). A test failure when there is none.
Example MakeExample(const nn::ModelConfig& model, int64_t examples, double kink_distance);

}  // namespace dl::gradient
