// Parameters that are updated during the backward pass get the same bits as after it.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/conf/zoo/zoo.h"
#include "nn/kernel_contract.h"
#include "nn/network.h"
#include "speed/step_data.h"
#include "tests/golden/kernel_models.h"
#include "tests/support/status_matchers.h"

namespace dl::nn::early_updates {
namespace {

constexpr int64_t kExamples = 3;
constexpr int64_t kMostParameters = 5'000'000;  // larger models take long

struct Options {
  bool early = true;
  Precision precision = Precision::kFloat32;
  int64_t micro_batch = 0;
};

StatusOr<std::unique_ptr<Network>> Compile(const ModelConfig& model, const Options& options) {
  return Network::Create(model, {.max_batch = kExamples,
                                 .micro_batch = options.micro_batch,
                                 .precision = options.precision,
                                 .passes = {.early_updates = options.early}});
}

struct Trained {
  std::vector<float> state, gradient;
  Network::Buffers buffers;
};

// Makes steps of two sizes, and computes a gradient after them.
Trained AfterSteps(const ModelConfig& model, const Options& options) {
  Trained trained;
  const auto network = Compile(model, options);
  EXPECT_THAT(network, test::IsOk());
  if (!network.ok()) return trained;
  trained.buffers = (*network)->buffers();
  const int64_t carried = IsStateful(model) ? kExamples : 0;
  EXPECT_THAT((*network)->Load(InitialState(model, 3, carried)), test::IsOk());
  const speed::StepData data(model, {.examples = kExamples}), less(model, {.examples = 2});
  for (int64_t step = 0; step < 3; ++step) {
    const Minibatch batch = step == 1 ? less.Of(step) : data.Of(step);
    EXPECT_THAT((*network)->TrainStep(
                    batch, {.step = step, .learning_rate = 0.01, .update_count = step + 1}),
                test::IsOk());
  }
  trained.state.resize((*network)->table().size());
  EXPECT_THAT((*network)->Store(trained.state), test::IsOk());
  trained.gradient.resize((*network)->table().SizeOf(SegmentKind::kParameter));
  EXPECT_THAT((*network)->Gradient(data.Of(0), {}, trained.gradient), test::IsOk());
  return trained;
}

bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Returns the bytes that early updates save.
int64_t ExpectSameBits(const ModelConfig& model, Options options = {}) {
  options.early = true;
  const Trained early = AfterSteps(model, options);
  options.early = false;
  const Trained late = AfterSteps(model, options);
  EXPECT_TRUE(SameBits(early.state, late.state)) << model.name;
  EXPECT_TRUE(SameBits(early.gradient, late.gradient)) << model.name;
  const auto total = [](const Trained& trained) {
    return trained.buffers.tensors + trained.buffers.arena;
  };
  return total(late) - total(early);
}

ModelConfig Built(Sequential& network) {
  auto model = network.Build();
  EXPECT_THAT(model, test::IsOk());
  return *std::move(model);
}

// The model on small images.
ModelConfig SmallModel(const zoo::ZooModel& entry) {
  zoo::Task task = entry.published;
  if (task.input.IsSpatial() && task.input.height > 64) {
    task.input = Image(task.input.channels, 32, 32);
    if (entry.name == "alexnet") task.input = Image(task.input.channels, 96, 96);
    task.classes = std::min<int64_t>(task.classes, 10);
  }
  return Built(entry.make(task).Updater(Nesterov(0.001)).ClipGradientsByNorm(0));
}

TEST(EarlyUpdates, ModelsOfZooGetSameBits) {
  for (const zoo::ZooModel& entry : zoo::ZooModels()) {
    if (entry.parameters > kMostParameters) continue;
    SCOPED_TRACE(entry.name);
    EXPECT_GE(ExpectSameBits(SmallModel(entry)), 0);
  }
}

TEST(EarlyUpdates, ModelsOfZooGetSameBitsInBf16) {
  const auto level = ProcessIsa();
  ASSERT_THAT(level, test::IsOk());
  if (!CheckPrecision(*level, Precision::kBf16).ok()) GTEST_SKIP() << "this CPU has no bf16";
  for (const zoo::ZooModel& entry : zoo::ZooModels()) {
    if (entry.parameters > kMostParameters) continue;
    SCOPED_TRACE(entry.name);
    EXPECT_GE(ExpectSameBits(SmallModel(entry), {.precision = Precision::kBf16}), 0);
  }
}

TEST(EarlyUpdates, LayersOfAllKindsGetSameBits) {
  for (const test::KernelCase& one : test::KernelCases()) {
    if (one.threads > 1) continue;
    SCOPED_TRACE(one.name);
    EXPECT_GE(ExpectSameBits(one.model), 0);
  }
}

// Two layers that share weights, a frozen layer between trained layers, a frozen bias, a constraint
// and penalties.
Sequential Mixed() {
  Sequential network("mixed");
  network.WeightInit(Normal(0.2))
      .L1(1e-3)
      .L2(1e-2)
      .Input(FeedForward(70))
      .Layer(Dense(100).Activation(Tanh()).WeightConstraint(MaxNorm(0.5)))
      .Layer(Dense(100).Activation(Tanh()).Name("owner"))
      .Layer(Dense(100).Activation(Tanh()).WeightsOf("owner"))
      .Layer(BatchNorm())
      .Layer(Dense(100).Activation(Tanh()).Frozen())
      .Layer(Output(7).Loss(SoftmaxCrossEntropy()));
  return network;
}

TEST(EarlyUpdates, SharedFrozenAndConstrainedWeightsGetSameBits) {
  Sequential network = Mixed();
  EXPECT_GT(ExpectSameBits(Built(network.Updater(Adam(0.01)))), 0);
  EXPECT_GT(ExpectSameBits(Built(network.Updater(Sgd(0.01)).ClipGradientsByValue(0.01))), 0);
}

TEST(EarlyUpdates, EmbeddingWithRowsWithoutGradientGetsSameBits) {
  Sequential network("words");
  network.WeightInit(Normal(0.3))
      .Updater(AdaGrad(0.1))
      .Input(Sequence(12, 1))
      .Layer(Embedding(500, 24))
      .Layer(Lstm(20))
      .Layer(Output(9).Loss(SoftmaxCrossEntropy()));
  EXPECT_GT(ExpectSameBits(Built(network)), 0);
}

TEST(EarlyUpdates, NormsAndMicroBatchesNeedAllGradients) {
  Sequential network = Mixed();
  EXPECT_EQ(ExpectSameBits(Built(network.Updater(Lars(0.01)))), 0);
  EXPECT_EQ(ExpectSameBits(Built(network.Updater(Lamb(0.01)))), 0);
  EXPECT_EQ(ExpectSameBits(Built(network.Updater(Adam(0.01))), {.micro_batch = 2}), 0);
  EXPECT_EQ(ExpectSameBits(Built(network.ClipGradientsByNorm(0.1))), 0);
  EXPECT_EQ(ExpectSameBits(Built(
                network.ClipGradientsByNorm(0).NormalizeGradients(RenormalizePerParameter()))),
            0);
}

// Norms are computed from one tensor at a time.
TEST(EarlyUpdates, NormsNeedNoCopyOfAllGradients) {
  const auto tensors_of = [](double clip, const UpdaterConf& updater) {
    Sequential network("images");
    network.Updater(updater).ClipGradientsByNorm(clip).Input(Image(16, 12, 12));
    for (int i = 0; i < 10; ++i) network.Layer(Conv2D(32).Padding(1).Activation(Tanh()));
    const auto compiled =
        Compile(Built(network.Layer(Output(3).Loss(SoftmaxCrossEntropy()))), {.early = false});
    EXPECT_THAT(compiled, test::IsOk());
    return (*compiled)->buffers().tensors;
  };
  constexpr int64_t kLargest = 3 * 32 * 12 * 12 * sizeof(float);
  const int64_t free = tensors_of(0, Sgd(0.1));
  EXPECT_LE(tensors_of(0.1, Sgd(0.1)) - free, kLargest);
  EXPECT_LE(tensors_of(0, Lars(0.1)) - tensors_of(0, Nesterov(0.1)), 2 * kLargest);
}

}  // namespace
}  // namespace dl::nn::early_updates
