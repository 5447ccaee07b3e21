// Activations that are computed again have the same bits as stored activations.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nn/arena.h"
#include "nn/conf/activation_segments.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/network_memory.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/conf/zoo/zoo.h"
#include "nn/kernel_contract.h"
#include "nn/network.h"
#include "speed/step_data.h"
#include "tests/golden/kernel_models.h"
#include "tests/support/status_matchers.h"

namespace dl::nn::checkpoint_activations {
namespace {

constexpr int64_t kExamples = 3;
constexpr int64_t kMostParameters = 12'000'000;  // larger models take long

struct Options {
  bool checkpoints = false;
  Precision precision = Precision::kFloat32;
  int64_t micro_batch = 0;
};

struct Trained {
  std::vector<float> state;
  int64_t arena = 0;
};

Trained AfterSteps(const ModelConfig& model, const Options& options) {
  Trained trained;
  const auto network = Network::Create(model, {.max_batch = kExamples,
                                               .micro_batch = options.micro_batch,
                                               .precision = options.precision,
                                               .checkpoint_activations = options.checkpoints});
  EXPECT_THAT(network, test::IsOk());
  if (!network.ok()) return trained;
  trained.arena = (*network)->buffers().arena;
  EXPECT_THAT((*network)->Load(InitialState(model, 3, IsStateful(model) ? kExamples : 0)),
              test::IsOk());
  const speed::StepData data(model, {.examples = kExamples});
  for (int64_t step = 0; step < 2; ++step) {
    EXPECT_THAT((*network)->TrainStep(
                    data.Of(step), {.step = step, .learning_rate = 0.01, .update_count = step + 1}),
                test::IsOk());
  }
  trained.state.resize((*network)->table().size());
  EXPECT_THAT((*network)->Store(trained.state), test::IsOk());
  return trained;
}

// Returns the size of the arena with checkpoints, divided by the size without.
double ExpectSameBits(const ModelConfig& model, Options options = {}) {
  options.checkpoints = true;
  const Trained with = AfterSteps(model, options);
  options.checkpoints = false;
  const Trained without = AfterSteps(model, options);
  EXPECT_EQ(with.state.size(), without.state.size());
  EXPECT_EQ(std::memcmp(with.state.data(), without.state.data(), with.state.size() * sizeof(float)),
            0)
      << model.name;
  for (const bool checkpoints : {true, false}) {
    const NetworkMemory most = NetworkMemoryAtMost(model, {.max_batch = kExamples,
                                                           .micro_batch = options.micro_batch,
                                                           .precision = options.precision,
                                                           .checkpoint_activations = checkpoints});
    EXPECT_LE((checkpoints ? with : without).arena, most.arena) << model.name;
  }
  return static_cast<double>(with.arena) / static_cast<double>(without.arena);
}

ModelConfig Built(Sequential& network) {
  auto model = network.Build();
  EXPECT_THAT(model, test::IsOk());
  return *std::move(model);
}

ModelConfig SmallModel(const zoo::ZooModel& entry) {
  zoo::Task task = entry.published;
  if (task.input.IsSpatial() && task.input.height > 64) {
    const int64_t size = entry.name == "alexnet" ? 96 : 32;
    task = {.input = Image(task.input.channels, size, size),
            .classes = std::min<int64_t>(task.classes, 10)};
  }
  return Built(entry.make(task).Updater(Nesterov(0.001)));
}

TEST(CheckpointActivations, ModelsOfZooGetSameBits) {
  for (const zoo::ZooModel& entry : zoo::ZooModels()) {
    if (entry.parameters > kMostParameters) continue;
    SCOPED_TRACE(entry.name);
    const double share = ExpectSameBits(SmallModel(entry));
    // Other models have few layers, stateful layers, or little else than weights.
    if (entry.name == "gpt" || entry.name == "mobilenet") {
      EXPECT_LT(share, 0.7);
    }
  }
}

TEST(CheckpointActivations, ModelsOfZooGetSameBitsInBf16) {
  const auto level = ProcessIsa();
  ASSERT_THAT(level, test::IsOk());
  if (!CheckPrecision(*level, Precision::kBf16).ok()) GTEST_SKIP() << "this CPU has no bf16";
  for (const zoo::ZooModel& entry : zoo::ZooModels()) {
    if (entry.parameters > kMostParameters) continue;
    SCOPED_TRACE(entry.name);
    ExpectSameBits(SmallModel(entry), {.precision = Precision::kBf16});
  }
}

TEST(CheckpointActivations, LayersOfAllKindsGetSameBits) {
  for (const test::KernelCase& one : test::KernelCases()) {
    if (one.threads > 1) continue;
    SCOPED_TRACE(one.name);
    ExpectSameBits(one.model);
  }
}

// Random numbers, running moments, layers that work in place, and an output in the middle.
TEST(CheckpointActivations, NoiseMomentsAndOutputsInTheMiddleGetSameBits) {
  Sequential network("noise");
  network.WeightInit(He()).Updater(Adam(0.01)).Input(Image(3, 12, 12));
  for (int i = 0; i < 3; ++i) {
    network.Layer(Conv2D(8).Padding(1))
        .Layer(BatchNorm())
        .Layer(ActivationLayer(Relu()))
        .Layer(Dropout(0.3))
        .Layer(GaussianNoise(0.1))
        .Layer(ActivationLayer(Tanh()))
        .Layer(ActivationLayer(Gelu()))
        .Layer(SpatialDropout(0.2));
  }
  network.Layer(Dense(20).Activation(Tanh()).Name("code"))
      .Layer(Output(5).Loss(SoftmaxCrossEntropy()).LossWeight(0.3).Name("early"))
      .Layer(Dense(30).Activation(Tanh()).Inputs({"code"}))
      .Layer(AlphaDropout(0.1));
  for (int i = 0; i < 8; ++i) network.Layer(Dense(30).Activation(Relu())).Layer(Dropout(0.1));
  network.Layer(Output(5).Loss(SoftmaxCrossEntropy()).LabelsOf("early"));
  const ModelConfig model = Built(network);
  ExpectSameBits(model);
  ExpectSameBits(model, {.micro_batch = 2});
}

// The states that a minibatch begins with are gone when its gradients are computed.
TEST(CheckpointActivations, StatefulLayersAreNotComputedAgain) {
  Sequential network("streams");
  network.Updater(Adam(0.01)).Input(Sequence(9, 6));
  for (int i = 0; i < 6; ++i) network.Layer(Lstm(8).Stateful()).Layer(Dropout(0.2));
  for (int i = 0; i < 6; ++i) network.Layer(Dense(8).Activation(Tanh()));
  ExpectSameBits(Built(network.Layer(Output(4).Loss(SoftmaxCrossEntropy()))));
}

TEST(CheckpointActivations, FrozenLayersBelowGetSameBits) {
  Sequential network("frozen");
  network.Updater(Adam(0.01)).Input(Image(3, 12, 12));
  for (int i = 0; i < 6; ++i) network.Layer(Conv2D(8).Padding(1).Activation(Relu()).Frozen());
  for (int i = 0; i < 6; ++i) network.Layer(Conv2D(8).Padding(1).Activation(Tanh()));
  ExpectSameBits(Built(network.Layer(Output(4).Loss(SoftmaxCrossEntropy()))));
}

TEST(ActivationSegments, AreAboutTheSquareRootOfTheLayers) {
  Sequential network("deep");
  network.Updater(Adam(0.01)).Input(FeedForward(50));
  for (int i = 0; i < 99; ++i) network.Layer(Dense(50));
  const std::vector<int> segments =
      ActivationSegments(Built(network.Layer(Output(50).Loss(SoftmaxCrossEntropy()))));
  EXPECT_EQ(segments.back(), 9);
  EXPECT_TRUE(std::ranges::is_sorted(segments));
  for (int segment = 0; segment < 10; ++segment)
    EXPECT_EQ(std::ranges::count(segments, segment), 10) << segment;
}

TEST(ArenaPlan, BufferOfRepeatedStepsSharesItsBytesBetweenItsLives) {
  ArenaPlan plan;
  plan.Advance();
  const int64_t first = plan.now();
  const BufferId input = plan.Add(1000);
  plan.Advance();
  const BufferId kept = plan.Add(1000);
  plan.Use(input);
  const int64_t last = plan.now();
  plan.Advance();
  const BufferId between = plan.Add(1000);
  plan.Repeat(first, last);
  plan.Advance();
  const BufferId after = plan.Add(1000);
  plan.Use(kept);
  EXPECT_EQ(plan.Place(), 2 * ArenaPlan::Aligned(1000) * static_cast<int64_t>(sizeof(float)));
  EXPECT_NE(plan.offset(input), plan.offset(kept));
  EXPECT_NE(plan.offset(kept), plan.offset(after));
  EXPECT_EQ(plan.offset(input), plan.offset(between));
  EXPECT_EQ(plan.offset(input), plan.offset(after));
}

}  // namespace
}  // namespace dl::nn::checkpoint_activations
