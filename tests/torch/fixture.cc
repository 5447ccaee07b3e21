#include "tests/torch/fixture.h"

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/json.h"
#include "base/limits.h"
#include "tests/support/status_matchers.h"

namespace dl::torch {
namespace {

constexpr std::string_view kUpdaters = "updaters";

nn::InputType InputOf(const std::vector<int64_t>& shape) {
  if (shape.size() == 3) return nn::Image(shape[0], shape[1], shape[2]);
  return shape.size() == 2 ? nn::Sequence(shape[0], shape[1]) : nn::FeedForward(shape[0]);
}

FixtureTensor TensorOf(const Json& json) {
  FixtureTensor tensor{.name = json.at("name"),
                       .shape = json.at("shape"),
                       .scale = {.center = json.at("center"), .bound = json.at("bound")}};
  if (json.contains("behind_a_step")) {
    tensor.behind_a_step = json.at("behind_a_step");
    return tensor;
  }
  tensor.gradient_norm = json.at("gradient_norm");
  tensor.gradient = json.at("gradient");
  if (json.contains("behind_steps")) tensor.behind_steps = json.at("behind_steps").get<Sketch>();
  return tensor;
}

}  // namespace

std::vector<std::string> FixtureNames() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(DL_TORCH_FIXTURES)) {
    if (file.path().stem() != kUpdaters) names.push_back(file.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> FixtureNamesWithSteps() {
  std::vector<std::string> names = FixtureNames();
  std::erase_if(names, [](const std::string& name) {
    const auto fixture = ReadFixture(name);
    return fixture.ok() && !fixture->contains("steps");
  });
  return names;
}

StatusOr<Json> ReadFixture(const std::string& name) {
  const std::string path = std::string(DL_TORCH_FIXTURES) + "/" + name + ".json";
  DL_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, limits::kMaxJsonBytes));
  return ParseJson(text, path);
}

std::optional<Fixture> ReadModelFixture(const std::string& name) {
  const auto json = ReadFixture(name);
  EXPECT_THAT(json, test::IsOk());
  if (!json.ok()) return std::nullopt;
  Fixture fixture{.name = name,
                  .model = json->at("model"),
                  .task = {InputOf(json->at("shape")), json->at("classes")},
                  .examples = json->at("examples"),
                  .adam = json->at("updater") == "adam",
                  .learning_rate = json->at("learning_rate"),
                  .draw = json->at("draw"),
                  .loss = json->at("loss"),
                  .predictions = json->at("predictions"),
                  .gradient_norm = json->at("gradient_norm")};
  for (const Json& tensor : json->at("parameters")) fixture.parameters.push_back(TensorOf(tensor));
  for (const Json& tensor : json->at("moments")) fixture.moments.push_back(TensorOf(tensor));
  if (json->contains("steps")) {
    fixture.steps = {.steps = json->at("steps"),
                     .way = json->at("way"),
                     .distance_of_float32 = json->at("distance_of_float32")};
  }
  return fixture;
}

}  // namespace dl::torch
