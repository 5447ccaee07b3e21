// Networks with several losses: which labels each output uses, and what the sums contain.
#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

using testing::HasSubstr;

// Outputs "place" (two numbers) and "kind" (three classes) on the same input. The weights are 0,
// only biases are trained.
ModelConfig PlaceAndKind(double weight_of_place, double weight_of_kind) {
  auto model = Sequential("tasks")
                   .Updater(Sgd(1))
                   .Input(FeedForward(2))
                   .Layer(Output(2)
                              .Loss(MeanSquaredError())
                              .LossWeight(weight_of_place)
                              .Inputs({"input"})
                              .Name("place"))
                   .Layer(Output(3)
                              .Loss(SoftmaxCrossEntropy())
                              .LossWeight(weight_of_kind)
                              .Inputs({"input"})
                              .Name("kind"))
                   .Build();
  EXPECT_THAT(model, test::IsOk());
  return *std::move(model);
}

std::unique_ptr<Network> TaskNetwork(const ModelConfig& model, const NetworkOptions& options) {
  auto network = Network::Create(model, options);
  EXPECT_THAT(network, test::IsOk());
  const std::vector<float> zeros((*network)->table().size());
  EXPECT_THAT((*network)->Load(zeros), test::IsOk());
  return *std::move(network);
}

const std::vector<float> kTaskFeatures(8, 0.0f);  // four examples
// place, place, kind. The third example has no kind.
const std::vector<float> kTaskRows{1, 2, 0, 3, 2, 1, -1, 2, -1, 1, -2, 2};
const Minibatch kTasks{.examples = 4, .features = kTaskFeatures, .targets = kTaskRows};

// Squared error of the places, predicted as 0.
constexpr double kTaskSquares = (1 + 4 + 9 + 4 + 1 + 4 + 1 + 4) / 8.0;

TEST(SeveralOutputs, LossIsWeightedSumOfMeans) {
  for (const auto& [place, kind] : {std::pair(1.0, 1.0), {0.5, 1.0}, {2.0, 0.25}, {0.0, 1.0}}) {
    auto network = TaskNetwork(PlaceAndKind(place, kind), {.max_batch = 4});
    const auto sums = network->Evaluate(kTasks);
    ASSERT_THAT(sums, test::IsOk());
    EXPECT_EQ(sums->examples(), 3);  // examples with a kind
    EXPECT_EQ(sums->predictions(), 3);
    EXPECT_NEAR(sums->loss(), place * kTaskSquares + kind * std::log(3.0), 1e-6);
  }
}

TEST(SeveralOutputs, StepUsesSumOfGradients) {
  const ModelConfig model = PlaceAndKind(0.5, 2);
  auto network = TaskNetwork(model, {.max_batch = 4});
  ASSERT_THAT(network->TrainStep(kTasks, {.learning_rate = 1}), test::IsOk());
  std::vector<float> state(network->table().size());
  ASSERT_THAT(network->Store(state), test::IsOk());
  const auto bias = [&](const char* name) {
    const Segment* segment = network->table().Find(name);
    return std::vector<float>(state.begin() + segment->offset,
                              state.begin() + segment->offset + segment->size);
  };
  // 0.5 times the mean of the squares over 8 values: 0.5 * 2 * sum / 8.
  EXPECT_FLOAT_EQ(bias("place.bias")[0], (1.0f + 3 - 1 + 1) / 8);
  EXPECT_FLOAT_EQ(bias("place.bias")[1], (2.0f + 2 + 2 - 2) / 8);
  // 2 times the mean over the three examples with a kind: classes 0, 1 and 2.
  for (const float value : bias("kind.bias")) EXPECT_NEAR(value, 2 * (1 - 3 / 3.0) / 3, 1e-6);
}

TEST(SeveralOutputs, EachOutputIsReported) {
  auto network = TaskNetwork(PlaceAndKind(0.5, 2), {.max_batch = 4});
  std::vector<MetricSums> sums{MetricSums(), MetricSums(3)};
  MetricSums all;
  ASSERT_THAT(network->EvaluateInto(kTasks, sums, all), test::IsOk());
  const auto at_once = network->Evaluate(kTasks);
  ASSERT_THAT(at_once, test::IsOk());
  EXPECT_EQ(all.loss(), at_once->loss());
  EXPECT_EQ(all.examples(), at_once->examples());
  ASSERT_THAT(network->Predict(kTasks), test::IsOk());
  EXPECT_EQ(sums[0].examples(), 4);
  EXPECT_NEAR(sums[0].loss(), kTaskSquares, 1e-6);
  EXPECT_FALSE(sums[0].has_accuracy());
  EXPECT_EQ(sums[1].examples(), 3);
  EXPECT_NEAR(sums[1].loss(), std::log(3.0), 1e-6);
  EXPECT_EQ(sums[1].Confused(2, 0), 1);
  EXPECT_EQ(network->LastPredictions(0).size(), 8u);
  EXPECT_EQ(network->LastPredictions(1).size(), 12u);
  EXPECT_FLOAT_EQ(network->LastPredictions()[0], 1.0f / 3);
  EXPECT_FALSE(network->EvaluateInto(kTasks, std::span(sums).first(1), all).ok());
  std::vector<MetricSums> wrong{MetricSums(2), MetricSums()};
  EXPECT_FALSE(network->EvaluateInto(kTasks, wrong, all).ok());
}

TEST(SeveralOutputs, LabelsThatFitNoneAreRefusedByTheirOutputsName) {
  auto network = TaskNetwork(PlaceAndKind(1, 1), {.max_batch = 4});
  const auto with = [&](float kind) {
    std::vector<float> rows = kTaskRows;
    rows[5] = kind;
    const auto sums =
        network->Evaluate({.examples = 4, .features = kTaskFeatures, .targets = rows});
    return sums.ok() ? "none" : DescribeError(sums.status());
  };
  EXPECT_EQ(with(2), "none");
  for (const float wrong : {1.5f, -2.0f, 3.0f, 1e30f, NAN, INFINITY, -INFINITY})
    EXPECT_THAT(with(wrong),
                AllOf(HasSubstr("layer kind, labels[1]"), HasSubstr("is not a class")));
  const Minibatch shorter{
      .examples = 4, .features = kTaskFeatures, .targets = std::span(kTaskRows).first(11)};
  EXPECT_THAT(DescribeError(network->Evaluate(shorter).status()), HasSubstr("expected 12"));
}

// An output that counts no example of a minibatch adds nothing to its loss. If this is the last
// output, the losses of the others cannot be reported, but their gradients are followed.
TEST(SeveralOutputs, MinibatchMayLackLabelsOfOutput) {
  auto network = TaskNetwork(PlaceAndKind(1, 1), {.max_batch = 4});
  const std::vector<float> rows{1, 2, -1, 3, 2, -1};
  const auto sums = network->TrainStep(
      {.examples = 2, .features = std::span(kTaskFeatures).first(4), .targets = rows},
      {.learning_rate = 1});
  ASSERT_THAT(sums, test::IsOk());
  EXPECT_EQ(sums->examples(), 0);
  EXPECT_EQ(sums->non_finite(), 0);
  std::vector<float> state(network->table().size());
  ASSERT_THAT(network->Store(state), test::IsOk());
  EXPECT_FLOAT_EQ(state[network->table().Find("place.bias")->offset], (1.0f + 3) / 2);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(state[network->table().Find("kind.bias")->offset + i], 0.0f);
}

TEST(SeveralOutputs, PartsOfAMinibatchComeToTheWhole) {
  auto whole = TaskNetwork(PlaceAndKind(0.5, 2), {.max_batch = 4});
  auto parts = TaskNetwork(PlaceAndKind(0.5, 2), {.max_batch = 4, .micro_batch = 1});
  const int64_t parameters = whole->table().SizeOf(SegmentKind::kParameter);
  std::vector<float> expected(parameters), seen(parameters);
  const auto of_whole = whole->Gradient(kTasks, {}, expected);
  const auto of_parts = parts->Gradient(kTasks, {}, seen);
  ASSERT_THAT(of_whole, test::IsOk());
  ASSERT_THAT(of_parts, test::IsOk());
  EXPECT_THAT(seen, testing::Pointwise(testing::FloatNear(1e-6f), expected));
  EXPECT_EQ(of_parts->examples(), of_whole->examples());
  EXPECT_NEAR(of_parts->loss(), of_whole->loss(), 1e-6);
}

}  // namespace
}  // namespace dl::nn
