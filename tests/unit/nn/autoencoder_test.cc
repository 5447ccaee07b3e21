// Models that reconstruct their input, and models that sample their code.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"

namespace dl::nn {
namespace {

std::unique_ptr<Network> AutoencoderOf(const ModelConfig& model, int64_t max_batch) {
  auto network = Network::Create(model, {.max_batch = max_batch});
  EXPECT_TRUE(network.ok()) << network.status();
  EXPECT_TRUE((*network)->Load(InitialState(model, 3)).ok());
  return *std::move(network);
}

std::vector<float> StoredState(const Network& network) {
  std::vector<float> state(network.table().size());
  EXPECT_TRUE(network.Store(state).ok());
  return state;
}

// If outputs are compared with the input, the result is the same as with the input as targets.
// Labels are ignored.
TEST(Autoencoder, TargetsAreInput) {
  const auto model = [](Output output) {
    auto built = Sequential("m")
                     .Updater(Sgd(0.1))
                     .Input(Image(1, 2, 2))
                     .Layer(Dense(3).Activation(Tanh()))
                     .Layer(output.Loss(MeanSquaredError()))
                     .Build();
    EXPECT_TRUE(built.ok()) << built.status();
    return *std::move(built);
  };
  const ModelConfig own = model(Output(4).ComparedWithInput()), other = model(Output(4));
  const std::vector<float> features{0.1f, 0.4f, -0.3f, 0.7f, 0.2f, -0.6f, 0.9f, 0.5f};
  const std::vector<int32_t> labels{77, -5};
  auto network = AutoencoderOf(own, 2), with_targets = AutoencoderOf(other, 2);
  const auto sums = network->TrainStep({.examples = 2, .features = features, .labels = labels},
                                       {.learning_rate = 1});
  const auto want = with_targets->TrainStep(
      {.examples = 2, .features = features, .targets = features}, {.learning_rate = 1});
  ASSERT_TRUE(sums.ok()) << sums.status();
  ASSERT_TRUE(want.ok()) << want.status();
  EXPECT_EQ(*sums, *want);
  EXPECT_EQ(StoredState(*network), StoredState(*with_targets));
}

// Evaluation uses the mean. Training draws other numbers in each step. The divergence counts in
// both.
TEST(GaussianSample, SamplesAreDrawnOnlyInTraining) {
  const auto model = [](double weight) {
    auto built = Sequential("m")
                     .Updater(Sgd(0.1))
                     .Input(FeedForward(4))
                     .Layer(GaussianSample(weight))
                     .Layer(Output(1).Loss(MeanSquaredError()))
                     .Build();
    EXPECT_TRUE(built.ok()) << built.status();
    return *std::move(built);
  };
  auto network = AutoencoderOf(model(0), 1);
  const std::vector<float> x{1, -2, 0.5f, 0}, target{0};
  const Minibatch batch{.examples = 1, .features = x, .targets = target};
  const auto loss = [&](Network& of, int64_t step) {
    std::vector<float> gradient(of.table().SizeOf(SegmentKind::kParameter));
    return of.Gradient(batch, {.step = step}, gradient)->loss();
  };
  EXPECT_EQ(network->Evaluate(batch)->loss(), network->Evaluate(batch)->loss());
  EXPECT_EQ(loss(*network, 1), loss(*network, 1));
  EXPECT_NE(loss(*network, 1), loss(*network, 2));
  EXPECT_NE(loss(*network, 1), network->Evaluate(batch)->loss());
  auto weighted = AutoencoderOf(model(2), 1);
  const double divergence = 0.5 * (1 + std::exp(0.5) - 1 - 0.5 + 4 + 1 - 1 - 0);
  EXPECT_NEAR(weighted->Evaluate(batch)->loss() - network->Evaluate(batch)->loss(), 2 * divergence,
              1e-6);
  EXPECT_NEAR(loss(*weighted, 1) - loss(*network, 1), 2 * divergence, 1e-6);
}

// A decoder with a loss per step: the divergence counts in the reported loss as in the minimized
// one, once per example, regardless of how many steps have a label.
TEST(GaussianSample, DivergenceCountsOnceForAnExampleOfSeveralSteps) {
  constexpr int64_t kStepsOfExample = 3;
  const auto network = [](double weight, int64_t micro_batch) {
    auto built = Sequential("steps")
                     .Updater(Sgd(0.1))
                     .Input(FeedForward(4))
                     .Layer(GaussianSample(weight))
                     .Layer(Repeat(kStepsOfExample))
                     .Layer(Output(2).Loss(SoftmaxCrossEntropy()))
                     .Build();
    EXPECT_TRUE(built.ok()) << built.status();
    auto made = Network::Create(*built, {.max_batch = 2, .micro_batch = micro_batch});
    EXPECT_TRUE(made.ok()) << made.status();
    EXPECT_TRUE((*made)->Load(InitialState(*built, 3)).ok());
    return *std::move(made);
  };
  const std::vector<float> x{1, -2, 0.5f, 0, 0, 1, 0, 0};
  const std::vector<int32_t> labels{0, kNoLabel, 1, 1, 1, kNoLabel};
  const Minibatch batch{.examples = 2, .features = x, .labels = labels};
  const double of_first = 0.5 * (1 + std::exp(0.5) - 1 - 0.5 + 4 + 1 - 1 - 0);
  const double of_second = 0.5 * (0 + 1 - 1 - 0 + 1 + 1 - 1 - 0);
  const double expected = 2 * (of_first + of_second) / 2;  // weight 2, mean over 2 examples
  EXPECT_NEAR(network(2, 0)->Evaluate(batch)->loss() - network(0, 0)->Evaluate(batch)->loss(),
              expected, 1e-6);
  for (const int64_t micro_batch : {0, 1}) {
    const auto loss = [&](double weight) {
      const auto of = network(weight, micro_batch);
      std::vector<float> gradient(of->table().SizeOf(SegmentKind::kParameter));
      return of->Gradient(batch, {}, gradient)->loss();
    };
    EXPECT_NEAR(loss(2) - loss(0), expected, 1e-6) << micro_batch;
  }
}

}  // namespace
}  // namespace dl::nn
