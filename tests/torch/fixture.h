// What PyTorch computed of a model in float64, as make_fixtures.py wrote it down.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "nn/conf/zoo/zoo.h"
#include "tests/torch/seeded.h"

namespace dl::torch {

// A tensor of the model: what it holds at first, and what came of it.
struct FixtureTensor {
  std::string name;
  std::vector<int64_t> shape;
  Scale scale;
  // Of parameters.
  double gradient_norm = 0;
  Sketch gradient{};
  std::optional<Sketch> behind_steps;
  // Of moments.
  Sketch behind_a_step{};
};

// What ten steps come to, each on a minibatch of its own.
struct FixtureSteps {
  int64_t steps = 0;
  double way = 0;                  // norm of what parameters changed by
  double distance_of_float32 = 0;  // of PyTorch's parameters in float32 from those in float64
};

struct Fixture {
  std::string name;   // of the file
  std::string model;  // in the zoo
  nn::zoo::Task task;
  int64_t examples = 0;
  bool adam = false;  // else momentum
  double learning_rate = 0;
  int64_t draw = 0;  // of the minibatches
  double loss = 0;
  Sketch predictions{};
  double gradient_norm = 0;
  std::vector<FixtureTensor> parameters, moments;
  std::optional<FixtureSteps> steps;
};

// Names of the fixtures of models, sorted.
std::vector<std::string> FixtureNames();
// Those that hold what steps come to.
std::vector<std::string> FixtureNamesWithSteps();
StatusOr<Json> ReadFixture(const std::string& name);
// A test failure and nullopt where it cannot be read.
std::optional<Fixture> ReadModelFixture(const std::string& name);

}  // namespace dl::torch
