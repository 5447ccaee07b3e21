// Whole training steps of every updater with every option. Compares the engine's state with the
// reference's.
#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/json.h"
#include "gtest/gtest.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "tests/gradient/comparison.h"
#include "tests/gradient/models.h"
#include "tests/support/status_matchers.h"

namespace dl::gradient {
namespace {

struct Option {
  std::string name;
  std::function<void(nn::Sequential&)> set;
};

const std::vector<Option>& Options() {
  static const std::vector<Option> options = {
      {"no option", [](nn::Sequential&) {}},
      {"l2", [](nn::Sequential& s) { s.L2(0.2); }},
      {"weight decay", [](nn::Sequential& s) { s.WeightDecay(0.3); }},
      {"clipping by value", [](nn::Sequential& s) { s.ClipGradientsByValue(0.02); }},
      {"l1", [](nn::Sequential& s) { s.L1(0.2); }},
      {"clipping by norm", [](nn::Sequential& s) { s.ClipGradientsByNorm(0.2); }},
      {"clipping by the norms of layers",
       [](nn::Sequential& s) { s.NormalizeGradients(nn::ClipNormPerLayer(0.05)); }},
      {"clipping by the norms of tensors",
       [](nn::Sequential& s) { s.NormalizeGradients(nn::ClipNormPerParameter(0.02)); }},
      {"unit norms of layers",
       [](nn::Sequential& s) { s.NormalizeGradients(nn::RenormalizePerLayer()); }},
      {"unit norms of tensors",
       [](nn::Sequential& s) { s.NormalizeGradients(nn::RenormalizePerParameter()); }},
      {"largest norms of outputs", [](nn::Sequential& s) { s.WeightConstraint(nn::MaxNorm(0.7)); }},
      {"unit norms of outputs", [](nn::Sequential& s) { s.WeightConstraint(nn::UnitNorm()); }},
      {"everything", [](nn::Sequential& s) {
         s.L1(0.1).L2(0.2).WeightDecay(0.3).NormalizeGradients(nn::ClipNormPerLayer(0.15));
         s.ClipGradientsByValue(0.1).ClipGradientsByNorm(0.2).WeightConstraint(nn::MaxNorm(0.8));
       }}};
  return options;
}

nn::ModelConfig Model(const nn::UpdaterConf& updater, const Option& option) {
  nn::Sequential sequential("updates");
  sequential.Seed(11).Updater(updater);
  option.set(sequential);
  auto model = sequential.Input(nn::Image(2, 6, 6))
                   .Layer(nn::Conv2D(5).Kernel(3).Stride(2).NoBias())
                   .Layer(nn::BatchNorm().Decay(0.6))
                   .Layer(nn::ActivationLayer(nn::Tanh()))
                   .Layer(nn::Dropout(0.2))
                   .Layer(nn::Dense(9).Activation(nn::Sigmoid()).L2(0.01).WeightDecay(0.02))
                   .Layer(nn::Dense(6).Activation(nn::Tanh()).Frozen())
                   .Layer(nn::Dense(5).Activation(nn::Tanh()).L1(0.03).LearningRateFactor(0.5))
                   .Layer(nn::Output(3).Loss(nn::SoftmaxCrossEntropy()))
                   .Build();
  EXPECT_THAT(model, test::IsOk());
  return *std::move(model);
}

reference::Step StepOf(int64_t i) {
  return {.learning_rate = 0.1 / static_cast<double>(i + 1), .update_count = i + 1};
}
reference::Place PlaceOf(int64_t i) { return {.epoch = 1, .round = 4, .worker = 2, .step = i}; }

// Returns the reference's state after some steps. Compares the engine with it after each step.
reference::Values CheckSteps(const nn::ModelConfig& model) {
  const Example example = MakeExample(model, 7, 0);
  reference::Network network(model, example.examples);
  network.Load(example.state);
  const auto engine = MakeEngine(model, example, 1);
  for (int64_t i = 0; i < 4 && engine != nullptr; ++i) {
    SCOPED_TRACE("step " + std::to_string(i));
    const double loss = network.TrainStep(example.ForReference(), PlaceOf(i), StepOf(i));
    const auto sums = engine->TrainStep(example.ForEngine(), ContextAt(PlaceOf(i), StepOf(i)));
    EXPECT_THAT(sums, test::IsOk());
    if (sums.ok()) ExpectLossClose(*sums, loss);
    ExpectClose(network.table(), StateOf(*engine), network.state());
  }
  return network.state();
}

// An updater must see shared weights as one parameter with the sum of all gradients.
TEST(EngineUpdate, WeightsOfSeveralLayers) {
  for (const nn::UpdaterConf& updater :
       {nn::UpdaterConf(nn::Nesterov(0.05).Momentum(0.9)), nn::UpdaterConf(nn::Adam(0.01)),
        nn::UpdaterConf(nn::Lamb(0.01))}) {
    for (auto [name, model] : SharingNetworks()) {
      SCOPED_TRACE(name);
      model.updater = updater;
      model.clip_gradients_by_norm = 0.5;
      CheckSteps(model);
    }
  }
}

// Four steps, each of which continues the sequences of the step before. The compared state includes
// the carried state.
TEST(EngineUpdate, StatefulLayersCarry) {
  int64_t models = 0;
  for (const auto& [name, model] : SampleModels()) {
    if (!nn::IsStateful(model)) continue;
    SCOPED_TRACE(name);
    CheckSteps(model);
    ++models;
  }
  EXPECT_GE(models, 5);
}

// For every layer with weights, in the layouts that its kernels choose.
TEST(EngineUpdate, LayersHoldTheirWeightsToConstraints) {
  std::set<std::string_view> types;
  for (const auto& [name, model] : SampleModels()) {
    for (const nn::LayerConfig& layer : model.layers) {
      const bool constrained = std::ranges::any_of(layer.parameters, [](const auto& parameter) {
        return TagOf(parameter.weight_constraint) != "none";
      });
      if (!constrained) continue;
      SCOPED_TRACE(name);
      CheckSteps(model);
      types.insert(TagOf(layer.conf));
    }
  }
  for (const nn::LayerType& type : nn::LayerTypes()) {
    nn::LayerConf layer = type.make_default();
    const bool has_weights = nn::ToJson(layer).contains("weight_constraint");
    EXPECT_EQ(types.contains(type.tag), has_weights) << type.tag;
  }
}

double RelativeDistance(const reference::Values& a, const reference::Values& b) {
  double distance = 0, norm = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    distance = std::hypot(distance, a[i] - b[i]);
    norm = std::hypot(norm, b[i]);
  }
  return distance / norm;
}

TEST(EngineUpdate, EveryUpdaterWithEveryOption) {
  for (const nn::UpdaterType& type : nn::UpdaterTypes()) {
    for (const nn::UpdaterConf& updater : type.samples()) {
      reference::Values plain;
      for (const Option& option : Options()) {
        SCOPED_TRACE(nn::ToJson(updater).dump() + ", " + option.name);
        const reference::Values state = CheckSteps(Model(updater, option));
        if (plain.empty()) {
          plain = state;
        } else {
          EXPECT_GT(RelativeDistance(state, plain), 1e-3) << "the option changes nothing";
        }
      }
    }
  }
}

// Neither a frozen layer's weights nor its updater state change when other layers are trained.
TEST(EngineUpdate, FrozenLayerIsUnchanged) {
  for (const nn::UpdaterType& type : nn::UpdaterTypes()) {
    SCOPED_TRACE(type.tag);
    const nn::ModelConfig model = Model(type.samples().front(), Options().back());
    const Example example = MakeExample(model, 7, 0);
    const auto engine = MakeEngine(model, example, 1);
    ASSERT_NE(engine, nullptr);
    ASSERT_THAT(engine->TrainStep(example.ForEngine(), ContextAt(PlaceOf(0), StepOf(0))),
                test::IsOk());
    const std::vector<float> state = StateOf(*engine);
    int frozen = 0, moved = 0;
    for (const Segment& segment : engine->table().segments()) {
      const auto values = [&](const std::vector<float>& of) {
        return std::vector<float>(of.begin() + segment.offset,
                                  of.begin() + segment.offset + segment.size);
      };
      const bool same = values(state) == values(example.state);
      if (segment.name.starts_with("dense2.")) {
        EXPECT_TRUE(same) << segment.name;
        ++frozen;
      } else {
        moved += same ? 0 : 1;
      }
    }
    EXPECT_EQ(frozen, 2 + 2 * static_cast<int>(StateNamesOf(model.updater).size()));
    EXPECT_GT(moved, 6);
  }
}

// Norms are summed over canonical values. A minibatch of another size, whose kernels use other
// weight layouts, must give the same step.
TEST(EngineUpdate, NormsDoNotDependOnWhatTheNetworkDidBefore) {
  for (const nn::UpdaterConf& updater :
       {nn::UpdaterConf(nn::Lars(0.1).Trust(0.5)), nn::UpdaterConf(nn::Lamb(0.1))}) {
    const nn::ModelConfig model = Model(updater, Options().front());
    const Example large = MakeExample(model, 7, 0), small = MakeExample(model, 1, 0);
    const auto fresh = MakeEngine(model, large, 1), used = MakeEngine(model, large, 1);
    ASSERT_THAT(used->Evaluate(small.ForEngine()), test::IsOk());
    for (const auto* engine : {&fresh, &used})
      ASSERT_THAT((*engine)->TrainStep(large.ForEngine(), ContextAt(PlaceOf(0), StepOf(0))),
                  test::IsOk());
    EXPECT_EQ(StateOf(*fresh), StateOf(*used)) << TagOf(updater);
  }
}

}  // namespace
}  // namespace dl::gradient
