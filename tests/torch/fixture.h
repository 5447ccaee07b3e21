// Reads what PyTorch computed for a model in float64. make_fixtures.py wrote it.
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

// A tensor of the model: its initial values and the results of computing with it.
struct FixtureTensor {
  std::string name;
  std::vector<int64_t> shape;
  Scale scale;
  // Only of parameters.
  double gradient_norm = 0;
  Sketch gradient{};
  std::optional<Sketch> behind_steps;
  // Only of moments.
  Sketch behind_a_step{};
};

// Results of ten steps, each on a minibatch of its own.
struct FixtureSteps {
  int64_t steps = 0;
  double way = 0;                  // norm of the change of the parameters
  double distance_of_float32 = 0;  // between PyTorch's parameters in float32 and in float64
};

struct Fixture {
  std::string name;   // of the file
  std::string model;  // its name in the zoo
  nn::zoo::Task task;
  int64_t examples = 0;
  bool adam = false;  // false: momentum
  double learning_rate = 0;
  int64_t draw = 0;  // number of the random draw of minibatches
  double loss = 0;
  Sketch predictions{};
  double gradient_norm = 0;
  std::vector<FixtureTensor> parameters, moments;
  std::optional<FixtureSteps> steps;
};

// Returns the names of all fixtures of models, sorted.
std::vector<std::string> FixtureNames();
// Returns the names of the fixtures that contain results of steps.
std::vector<std::string> FixtureNamesWithSteps();
StatusOr<Json> ReadFixture(const std::string& name);
// Returns nullopt and reports a test failure if the fixture cannot be read.
std::optional<Fixture> ReadModelFixture(const std::string& name);

}  // namespace dl::torch
