// Compares the engine with PyTorch in float64: every model of the zoo without dropout, with the
// same weights and examples, and updaters with the same gradients.
#include <cmath>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gtest/gtest.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/segments.h"
#include "nn/network.h"
#include "nn/updaters/updater.h"
#include "tests/support/status_matchers.h"
#include "tests/torch/fixture.h"

namespace dl::torch {
namespace {

constexpr double kRelative = 1e-4;  // relative to a tensor's norm
constexpr double kOfGradient =
    1e-6;  // relative to the norm of the whole gradient, for tensors with a small share of it

std::optional<nn::ModelConfig> ModelOf(const Fixture& fixture) {
  const nn::zoo::ZooModel* const zoo = nn::zoo::FindZooModel(fixture.model);
  EXPECT_NE(zoo, nullptr);
  if (zoo == nullptr) return std::nullopt;
  nn::Sequential network = zoo->make(fixture.task);
  if (fixture.adam) {
    network.Updater(nn::Adam(fixture.learning_rate));
  } else {
    network.Updater(nn::Momentum(fixture.learning_rate).Momentum(0.9));
  }
  auto model = network.Build();
  EXPECT_THAT(model, test::IsOk());
  if (!model.ok()) return std::nullopt;
  for (nn::LayerConfig& layer : model->layers) {
    if (auto* dropout = std::get_if<nn::Dropout>(&layer.conf)) dropout->probability = 0;
  }
  return *std::move(model);
}

// A minibatch that both sides derive from the same name.
struct Batch {
  Batch(const Fixture& fixture, const nn::ModelConfig& model, int64_t step) {
    const std::string name = absl::StrCat(fixture.name, "/", fixture.draw, "/", step);
    const nn::InputType& input = fixture.task.input;
    const nn::LayerConfig& last = model.layers.back();
    const bool reconstructs = model.output().compared_with == nn::ComparedWith::kInput;
    features.resize(fixture.examples * input.Elements());
    if (input.IsSequence()) {
      SeededWords words(name + "/features");
      for (float& value : features) value = static_cast<float>(words.Below(fixture.task.classes));
    } else {
      const Scale from_0_to_1{.center = 0.5, .bound = 0.5};
      FillSeeded(name + "/features", reconstructs ? from_0_to_1 : Scale(), features);
    }
    labels.resize(reconstructs ? 0 : fixture.examples * last.output.Steps());
    SeededWords words(name + "/labels");
    for (int32_t& label : labels) label = words.Below(fixture.task.classes);
    minibatch = {.examples = fixture.examples, .features = features, .labels = labels};
  }

  std::vector<float> features;
  std::vector<int32_t> labels;
  nn::Minibatch minibatch;
};

class TorchTwin : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    fixture_ = ReadModelFixture(GetParam());
    ASSERT_TRUE(fixture_.has_value());
    const auto model = ModelOf(*fixture_);
    ASSERT_TRUE(model.has_value());
    auto network = nn::Network::Create(*model, {.max_batch = fixture_->examples});
    DL_ASSERT_OK(network);
    network_ = *std::move(network);
    Load();
  }

  // Loads the tensors of PyTorch's twin. Both must have the same names and shapes. Updater state
  // and carried state are 0.
  void Load() {
    std::map<std::string, const FixtureTensor*> tensors;
    for (const auto* list : {&fixture_->parameters, &fixture_->moments}) {
      for (const FixtureTensor& tensor : *list) tensors[tensor.name] = &tensor;
    }
    std::vector<float> state(table().size());
    for (const Segment& segment : table().segments()) {
      if (segment.kind == SegmentKind::kUpdater || segment.kind == SegmentKind::kCarried) continue;
      const auto found = tensors.find(segment.name);
      ASSERT_NE(found, tensors.end()) << "PyTorch's twin has no " << segment.name;
      EXPECT_EQ(segment.shape, found->second->shape) << segment.name;
      FillSeeded(fixture_->name + "/" + segment.name, found->second->scale,
                 table().View(segment, std::span<float>(state)));
      tensors.erase(found);
    }
    EXPECT_TRUE(tensors.empty()) << "only PyTorch's twin has " << tensors.begin()->first;
    DL_ASSERT_OK(network_->Load(state));
  }

  const SegmentTable& table() const { return network_->table(); }
  std::span<const float> Of(const std::string& segment, std::span<const float> values) const {
    const Segment* const found = table().Find(segment);
    EXPECT_NE(found, nullptr) << segment;
    return found == nullptr ? std::span<const float>() : table().View(*found, values);
  }

  std::optional<Fixture> fixture_;
  std::unique_ptr<nn::Network> network_;
};

TEST_P(TorchTwin, PredictionsAreEqual) {
  const Batch batch(*fixture_, network_->model(), 0);
  const auto predictions = network_->Predict(batch.minibatch);
  DL_ASSERT_OK(predictions);
  const Sketch got = SketchOf("predictions", *predictions);
  EXPECT_LE(Distance(got, fixture_->predictions), kRelative * Distance(fixture_->predictions, {}));
}

TEST_P(TorchTwin, LossAndGradientAreEqual) {
  const Batch batch(*fixture_, network_->model(), 0);
  std::vector<float> gradient(table().SizeOf(SegmentKind::kParameter));
  const auto sums = network_->Gradient(batch.minibatch, {}, gradient);
  DL_ASSERT_OK(sums);
  EXPECT_NEAR(sums->loss(), fixture_->loss, kRelative * fixture_->loss);
  for (const FixtureTensor& tensor : fixture_->parameters) {
    const double bound =
        std::max(kRelative * tensor.gradient_norm, kOfGradient * fixture_->gradient_norm);
    const Sketch got = SketchOf(tensor.name, Of(tensor.name, gradient));
    EXPECT_LE(Distance(got, tensor.gradient), bound)
        << tensor.name << ", norm " << tensor.gradient_norm << " of " << fixture_->gradient_norm;
  }
}

TEST_P(TorchTwin, MomentsAfterStepAreEqual) {
  const Batch batch(*fixture_, network_->model(), 0);
  DL_ASSERT_OK(network_->TrainStep(batch.minibatch, {}));
  std::vector<float> state(table().size());
  DL_ASSERT_OK(network_->Store(state));
  for (const FixtureTensor& tensor : fixture_->moments) {
    const Sketch got = SketchOf(tensor.name, Of(tensor.name, state));
    EXPECT_LE(Distance(got, tensor.behind_a_step), kRelative * Distance(tensor.behind_a_step, {}))
        << tensor.name;
  }
}

// Rounding errors grow along the trajectory, in PyTorch at the same rate.
class TorchWay : public TorchTwin {};

TEST_P(TorchWay, ErrorIsAtMostTwicePyTorchError) {
  const auto& [steps, way, distance_of_float32] = *fixture_->steps;
  for (int64_t step = 0; step < steps; ++step) {
    const Batch batch(*fixture_, network_->model(), step);
    DL_ASSERT_OK(network_->TrainStep(
        batch.minibatch,
        {.step = step, .learning_rate = fixture_->learning_rate, .update_count = step + 1}));
  }
  std::vector<float> state(table().size());
  DL_ASSERT_OK(network_->Store(state));
  double squares = 0;
  for (const FixtureTensor& tensor : fixture_->parameters) {
    ASSERT_TRUE(tensor.behind_steps.has_value());
    const double distance =
        Distance(SketchOf(tensor.name, Of(tensor.name, state)), *tensor.behind_steps);
    squares += distance * distance;
  }
  const double distance = std::sqrt(squares);
  RecordProperty("distance", std::to_string(distance));
  EXPECT_LE(distance, 2 * distance_of_float32) << "of a way of " << way;
}

std::string NameOf(const testing::TestParamInfo<std::string>& info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(Zoo, TorchTwin, testing::ValuesIn(FixtureNames()), NameOf);
INSTANTIATE_TEST_SUITE_P(Zoo, TorchWay, testing::ValuesIn(FixtureNamesWithSteps()), NameOf);

TEST(TorchTwins, ExistForEachZooModel) {
  std::set<std::string> without;
  for (const nn::zoo::ZooModel& model : nn::zoo::ZooModels()) without.emplace(model.name);
  for (const std::string& name : FixtureNames()) {
    const auto fixture = ReadModelFixture(name);
    ASSERT_TRUE(fixture.has_value());
    without.erase(fixture->model);
  }
  EXPECT_TRUE(without.empty()) << *without.begin();
}

TEST(TorchUpdaters, GoTheSameWayByTheSameGradients) {
  constexpr double kTolerance = 1e-5;
  const auto fixture = ReadFixture("updaters");
  DL_ASSERT_OK(fixture);
  const int64_t values = fixture->at("values"), steps = fixture->at("steps");
  const double rate = fixture->at("learning_rate");
  const std::map<std::string, nn::UpdaterConf> updaters = {
      {"sgd", nn::Sgd(rate)},           {"momentum", nn::Momentum(rate)},
      {"nesterov", nn::Nesterov(rate)}, {"adagrad", nn::AdaGrad(rate)},
      {"adadelta", nn::AdaDelta(rate)}, {"rmsprop", nn::RmsProp(rate)},
      {"adam", nn::Adam(rate)},         {"adamw", nn::AdamW(rate)},
      {"amsgrad", nn::AmsGrad(rate)},   {"nadam", nn::Nadam(rate)},
      {"adamax", nn::AdaMax(rate)}};
  EXPECT_EQ(fixture->at("updaters").size(), updaters.size());
  for (const auto& [name, updater] : updaters) {
    SCOPED_TRACE(name);
    nn::ModelConfig model;
    model.updater = updater;
    std::vector<float> weights(values), gradient(values);
    std::vector<std::vector<float>> states(nn::kMaxUpdaterStates, std::vector<float>(values));
    FillSeeded("updaters/weights", {}, weights);
    for (int64_t step = 0; step < steps; ++step) {
      FillSeeded("updaters/gradient/" + std::to_string(step), {}, gradient);
      nn::UpdateTensors tensors{.weights = weights.data(),
                                .gradient = gradient.data(),
                                .floats = values,
                                .weight_decay = nn::WeightDecayOf(updater)};
      for (size_t i = 0; i < states.size(); ++i) tensors.state[i] = states[i].data();
      nn::ApplyUpdate(model, {.learning_rate = rate, .update_count = step + 1}, tensors);
    }
    const Json& want = fixture->at("updaters").at(name);
    ASSERT_EQ(want.size(), weights.size());
    double error = 0, norm = 0;
    for (int64_t i = 0; i < values; ++i) {
      const double expected = want[i];
      error = std::hypot(error, weights[i] - expected);
      norm = std::hypot(norm, expected);
    }
    EXPECT_LE(error, kTolerance * norm);
  }
}

}  // namespace
}  // namespace dl::torch
