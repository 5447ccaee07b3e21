// Frozen layers below the lowest trained layer need no backward pass.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

constexpr int64_t kImages = 6, kFrozenConvolutions = 6;

// Convolutions that are frozen up to `frozen`, followed by a trained head. The convolutions of the
// network that it is compared with are trained at rate 0, so its backward pass includes all layers.
ModelConfig Convolutions(int64_t frozen, double factor_of_others) {
  Sequential model("convolutions");
  model.Updater(Nesterov(0.05)).Input(Image(3, 16, 16));
  for (int64_t i = 0; i < kFrozenConvolutions; ++i) {
    Conv2D conv = Conv2D(16).Kernel(3).Padding(1).Activation(Relu());
    if (i < frozen) {
      conv.Frozen();
    } else {
      conv.LearningRateFactor(factor_of_others);
    }
    model.Layer(conv);
  }
  auto built = model.Layer(MaxPool2D(2).Stride(2))
                   .Layer(Dense(8).Activation(Tanh()))
                   .Layer(Output(3).Loss(SoftmaxCrossEntropy()))
                   .Build();
  EXPECT_THAT(built, test::IsOk());
  return *std::move(built);
}

struct Images {
  std::vector<float> features;
  std::vector<int32_t> labels;
  Minibatch View() const { return {.examples = kImages, .features = features, .labels = labels}; }
};

Images DrawnImages() {
  Images drawn;
  for (int i = 0; i < kImages * 3 * 16 * 16; ++i)
    drawn.features.push_back(static_cast<float>(std::sin(0.37 * i)));
  for (int i = 0; i < kImages; ++i) drawn.labels.push_back(i % 3);
  return drawn;
}

struct Trained {
  std::vector<float> state;
  int64_t arena_bytes = 0;
};

Trained AfterSteps(const ModelConfig& model) {
  Trained trained;
  auto network = Network::Create(model, {.max_batch = kImages});
  EXPECT_THAT(network, test::IsOk());
  if (!network.ok()) return trained;
  EXPECT_THAT((*network)->Load(InitialState(model, 3)), test::IsOk());
  const Images images = DrawnImages();
  for (int step = 0; step < 3; ++step) {
    EXPECT_THAT((*network)->TrainStep(
                    images.View(), {.step = step, .learning_rate = 0.05, .update_count = step + 1}),
                test::IsOk());
  }
  trained.state.resize((*network)->table().size());
  EXPECT_THAT((*network)->Store(trained.state), test::IsOk());
  trained.arena_bytes = (*network)->buffers().arena;
  return trained;
}

TEST(FrozenLayers, TrainedLayersAboveThemGetTheSameBits) {
  const ModelConfig frozen = Convolutions(kFrozenConvolutions, 1);
  const SegmentTable table = FullTable(frozen, 0);
  const Trained of_frozen = AfterSteps(frozen);
  const Trained of_still = AfterSteps(Convolutions(0, 0));
  ASSERT_EQ(of_frozen.state.size(), of_still.state.size());
  const std::vector<float> before = InitialState(frozen, 3);
  int changed = 0;
  for (const Segment& segment : table.segments()) {
    if (segment.kind != SegmentKind::kParameter) continue;
    const auto view = [&](const std::vector<float>& state) {
      return table.View(segment, std::span<const float>(state));
    };
    EXPECT_TRUE(std::ranges::equal(view(of_frozen.state), view(of_still.state))) << segment.name;
    changed += !std::ranges::equal(view(of_frozen.state), view(before));
  }
  EXPECT_EQ(changed, 4);  // weights and biases of the head
}

// Activations that only a backward pass would read are not kept, so each activation may overwrite
// an earlier one.
TEST(FrozenLayers, KeepNothingForABackwardPass) {
  EXPECT_LT(2 * AfterSteps(Convolutions(kFrozenConvolutions, 1)).arena_bytes,
            AfterSteps(Convolutions(0, 1)).arena_bytes);
}

struct PartlyFrozen {
  const char* name;
  StatusOr<ModelConfig> model;
  int64_t examples = 0;
  std::vector<int32_t> labels;
  std::vector<std::string> trained;  // segments
};

class PartlyFrozenModel : public testing::TestWithParam<PartlyFrozen> {};

TEST_P(PartlyFrozenModel, StepChangesExactlyTheTrainedSegments) {
  const PartlyFrozen& param = GetParam();
  ASSERT_THAT(param.model, test::IsOk());
  auto network = Network::Create(*param.model, {.max_batch = param.examples});
  ASSERT_THAT(network, test::IsOk());
  const std::vector<float> before = InitialState(*param.model, 3);
  ASSERT_THAT((*network)->Load(before), test::IsOk());
  std::vector<float> x{1, -1, 2, 0.5f, 0, 1, 1, -2};
  x.resize(param.examples * param.model->input().Elements());
  ASSERT_THAT(
      (*network)->TrainStep({.examples = param.examples, .features = x, .labels = param.labels},
                            {.learning_rate = 0.1}),
      test::IsOk());
  std::vector<float> after(before.size());
  ASSERT_THAT((*network)->Store(after), test::IsOk());
  std::vector<std::string> changed;
  const SegmentTable& table = (*network)->table();
  for (const Segment& segment : table.segments()) {
    const auto old = table.View(segment, std::span<const float>(before));
    const auto now = table.View(segment, std::span<const float>(after));
    if (!std::ranges::equal(old, now)) changed.push_back(segment.name);
  }
  EXPECT_EQ(changed, param.trained);
}

PartlyFrozen TrainedBelowFrozen() {
  return {.name = "TrainedLayerBelowFrozenLayers",
          .model = Sequential("below")
                       .Updater(Sgd(0.1))
                       .Input(FeedForward(4))
                       .Layer(Dense(5).Activation(Tanh()).Name("trained"))
                       .Layer(Dense(5).Activation(Tanh()).Frozen().Name("frozen"))
                       .Layer(Output(2).Loss(SoftmaxCrossEntropy()).Frozen().Name("head"))
                       .Build(),
          .examples = 2,
          .labels = {0, 1},
          .trained = {"trained.weight", "trained.bias"}};
}

// A recurrent layer that shares input weights and biases with a frozen layer and has its own state
// weights. The gradient by its inputs is not needed.
PartlyFrozen SharingSomeFrozenWeights() {
  return {.name = "LayerThatSharesSomeFrozenWeights",
          .model = Sequential("shares")
                       .Updater(Sgd(0.1))
                       .Input(Sequence(3, 2))
                       .Layer(Dense(16).Frozen().Name("frozen"))
                       .Layer(Lstm(4).Inputs({"input"}).WeightsOf("frozen").Name("own_state"))
                       .Layer(Concat().Inputs({"frozen", "own_state"}))
                       .Layer(Output(2).Loss(SoftmaxCrossEntropy()).Name("head"))
                       .Build(),
          .examples = 1,
          .labels = {0, 1, 1},
          .trained = {"own_state.recurrent_weight", "head.weight", "head.bias"}};
}

// Key freeze_up_to: the second layer's own bias is frozen like the weights that it shares.
PartlyFrozen FrozenUpToALayer() {
  return {.name = "FreezeUpToALayer",
          .model = Sequential("up_to")
                       .Updater(Sgd(0.1))
                       .Input(FeedForward(4))
                       .Layer(Dense(4).NoBias().Activation(Tanh()).Name("first"))
                       .Layer(Dense(4).WeightsOf("first").Activation(Tanh()).Name("second"))
                       .Layer(Output(2).Loss(SoftmaxCrossEntropy()).Name("head"))
                       .FreezeUpTo("second")
                       .Build(),
          .examples = 2,
          .labels = {0, 1},
          .trained = {"head.weight", "head.bias"}};
}

INSTANTIATE_TEST_SUITE_P(Models, PartlyFrozenModel,
                         testing::Values(TrainedBelowFrozen(), SharingSomeFrozenWeights(),
                                         FrozenUpToALayer()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace dl::nn
