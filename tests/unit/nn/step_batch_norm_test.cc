// Batch normalization of sequences with different lengths: only real steps count.
#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

using ::testing::Contains;
using ::testing::FloatNear;
using ::testing::Not;
using ::testing::Pointwise;

constexpr int64_t kMostSteps = 4, kStepValues = 2, kRealSteps = 7;
const std::vector<int32_t> kLengthsOfSteps = {2, 4, 1};

std::unique_ptr<Network> NormalizingNetwork(const InputType& input, int64_t examples) {
  auto model = Sequential("m")
                   .Updater(Sgd(0.1))
                   .Input(input)
                   .Layer(Dense(3).Activation(Tanh()))
                   .Layer(BatchNorm())
                   .Layer(Output(2).Loss(SoftmaxCrossEntropy()))
                   .Build();
  EXPECT_THAT(model, test::IsOk());
  auto network = Network::Create(*model, {.max_batch = examples});
  EXPECT_THAT(network, test::IsOk());
  EXPECT_THAT((*network)->Load(InitialState(*model, 11)), test::IsOk());
  return *std::move(network);
}

// Three sequences with different values in their padding, and all real steps as one sequence.
struct PaddedSteps {
  explicit PaddedSteps(float padding) {
    for (const int32_t length : kLengthsOfSteps) {
      for (int64_t t = 0; t < kMostSteps; ++t) {
        const bool is_real = t < length;
        for (int64_t i = 0; i < kStepValues; ++i) {
          const float value =
              is_real ? std::sin(static_cast<float>(3 * joined.size() + 1)) : padding;
          features.push_back(value);
          if (is_real) joined.push_back(value);
        }
        labels.push_back(is_real ? static_cast<int32_t>(joined_labels.size() % 2) : kNoLabel);
        if (is_real) joined_labels.push_back(labels.back());
      }
    }
  }
  Minibatch Padded() const {
    return {.examples = 3, .features = features, .labels = labels, .lengths = kLengthsOfSteps};
  }
  Minibatch Joined() const { return {.examples = 1, .features = joined, .labels = joined_labels}; }
  std::vector<float> features, joined;
  std::vector<int32_t> labels, joined_labels;
};

std::vector<float> NormalizedState(const Network& network) {
  std::vector<float> state(network.table().size());
  EXPECT_THAT(network.Store(state), test::IsOk());
  return state;
}

// The other layers treat each step separately, so one sequence of all real steps is the same
// minibatch. A padding of 50 would change every moment.
TEST(StepBatchNorm, GoesOverTheStepsThatAreThere) {
  const PaddedSteps steps(50);
  const auto padded = NormalizingNetwork(VariableSequence(kMostSteps, kStepValues), 3);
  const auto joined = NormalizingNetwork(Sequence(kRealSteps, kStepValues), 1);
  const SegmentTable& table = padded->table();
  std::vector<float> gradient(table.SizeOf(SegmentKind::kParameter)), want = gradient;
  ASSERT_THAT(padded->Gradient(steps.Padded(), {}, gradient), test::IsOk());
  ASSERT_THAT(joined->Gradient(steps.Joined(), {}, want), test::IsOk());
  EXPECT_THAT(gradient, Pointwise(FloatNear(2e-6f), want));

  for (int64_t step = 0; step < 2; ++step) {  // only the moments change
    const StepContext context{.step = step, .learning_rate = 0, .update_count = step + 1};
    ASSERT_THAT(padded->TrainStep(steps.Padded(), context), test::IsOk());
    ASSERT_THAT(joined->TrainStep(steps.Joined(), context), test::IsOk());
  }
  const std::vector<float> trained = NormalizedState(*padded);
  EXPECT_THAT(trained, Pointwise(FloatNear(1e-6f), NormalizedState(*joined)));
  for (const Segment& segment : table.segments()) {
    if (segment.kind != SegmentKind::kVariance) continue;
    EXPECT_THAT(table.View(segment, std::span<const float>(trained)), Contains(Not(1.0f)));
  }
  const auto evaluated = padded->Evaluate(steps.Padded()), alike = joined->Evaluate(steps.Joined());
  ASSERT_THAT(evaluated, test::IsOk());
  ASSERT_THAT(alike, test::IsOk());
  EXPECT_NEAR(evaluated->loss(), alike->loss(), 1e-6);
}

TEST(StepBatchNorm, PaddingIsInNoBit) {
  std::vector<std::vector<float>> states;
  for (const float padding : {50.0f, -3.0f}) {
    const auto network = NormalizingNetwork(VariableSequence(kMostSteps, kStepValues), 3);
    const PaddedSteps steps(padding);
    for (int64_t step = 0; step < 3; ++step) {
      ASSERT_THAT(
          network->TrainStep(steps.Padded(),
                             {.step = step, .learning_rate = 0.1, .update_count = step + 1}),
          test::IsOk());
    }
    states.push_back(NormalizedState(*network));
  }
  EXPECT_EQ(states[0], states[1]);
}

TEST(StepBatchNorm, SingleStepIsItsShiftAndMovesNoMoments) {
  auto model = Sequential("m")
                   .Updater(Sgd(0))
                   .Input(VariableSequence(3, 1))
                   .Layer(BatchNorm())
                   .Layer(Output(1).Loss(MeanSquaredError()))
                   .Build();
  ASSERT_THAT(model, test::IsOk());
  auto network = Network::Create(*model, {.max_batch = 1});
  ASSERT_THAT(network, test::IsOk());
  const std::vector<float> state = InitialState(*model, 1);
  ASSERT_THAT((*network)->Load(state), test::IsOk());
  const std::vector<float> features{7, 100, -100}, targets{2, 0, 0};
  const std::vector<int32_t> lengths{1};
  const auto sums = (*network)->TrainStep(
      {.examples = 1, .features = features, .targets = targets, .lengths = lengths}, {});
  ASSERT_THAT(sums, test::IsOk());
  EXPECT_EQ(sums->loss(), 4) << "the normalized step is 0, and so is the output";
  EXPECT_EQ(NormalizedState(**network), state);
}

}  // namespace
}  // namespace dl::nn
