// The models that `steps` measures, each with its usual minibatches.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "nn/conf/model_config.h"

namespace dl::bench {

struct BenchModel {
  std::string_view name;   // on the command line
  std::string_view about;  // for the help: the shape of an example
  std::string_view twin;   // name of the model in bench/torch/models.py
  std::vector<int64_t> batches;
  StatusOr<nn::ModelConfig> (*make)();
  double labelled = 1;  // share of the rows of the output that have a label
};

// Returns all models, in the order in which they are measured by default.
std::span<const BenchModel> BenchModels();

// Returns the constant learning rate of the model.
double RateOf(const nn::ModelConfig& model);

// A model and the size of its minibatches.
struct BenchTask {
  const BenchModel* model = nullptr;
  int64_t batch = 0;
};

// Returns the tasks that `words` name: "gpt" for the model's usual minibatches, "gpt:32" for
// minibatches of 32 examples, "all" for all models. Returns InvalidArgument for an unknown model
// or a minibatch that is not a number from 1.
StatusOr<std::vector<BenchTask>> TasksOf(const std::vector<std::string>& words);

}  // namespace dl::bench
