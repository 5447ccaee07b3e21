#include "speed/step_data.h"

#include <algorithm>
#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/sequential.h"
#include "nn/conf/zoo/zoo.h"
#include "tests/support/status_matchers.h"

namespace dl::speed {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::Ge;
using testing::IsEmpty;
using testing::Le;
using testing::Lt;
using testing::SizeIs;

nn::ModelConfig Built(const nn::Sequential& network) {
  const auto model = network.Build();
  DL_EXPECT_OK(model);
  return model.value_or(nn::ModelConfig());
}

// Makes a training step with the data, which checks labels and indices.
void ExpectTrains(const nn::ModelConfig& model, const StepData& data) {
  const nn::Minibatch batch = data.Of(0);
  const auto network = nn::Network::Create(model, {.max_batch = batch.examples});
  DL_ASSERT_OK(network);
  DL_EXPECT_OK((*network)->TrainStep(batch, {.learning_rate = 0.01}));
}

TEST(StepData, HasIndicesAndLabelledShare) {
  const nn::ModelConfig model = Built(nn::zoo::Bert({nn::Sequence(8, 1), 100}));
  const StepData data(model, {.examples = 50, .labelled = 0.15});
  const nn::Minibatch batch = data.Of(StepData::kMinibatches);
  EXPECT_EQ(batch.features.data(), data.features().data());  // the first one again
  EXPECT_THAT(batch.features, SizeIs(50 * 8));
  EXPECT_THAT(batch.features, Each(AllOf(Ge(0), Lt(100))));
  EXPECT_THAT(batch.labels, SizeIs(50 * 8));
  EXPECT_THAT(batch.labels, Contains(Ge(0)));
  const auto unlabelled = std::ranges::count(batch.labels, nn::kNoLabel);
  EXPECT_NEAR(static_cast<double>(unlabelled), 0.85 * 50 * 8, 40);
  EXPECT_EQ(StepData::BytesOf(model, {.examples = 50}), StepData::kMinibatches * 50 * (8 + 8) * 4);
}

TEST(StepData, ReconstructedInputIsFrom0To1WithoutLabels) {
  const nn::ModelConfig model = Built(nn::zoo::Vae({nn::FeedForward(16)}));
  const StepData data(model, {.examples = 2});
  EXPECT_THAT(data.labels(), IsEmpty());
  EXPECT_THAT(data.targets(), IsEmpty());
  EXPECT_THAT(data.features(), Each(AllOf(Ge(0), Le(1))));
  ExpectTrains(model, data);
}

TEST(StepData, FitsSequenceOfVariableLengthWithSequenceOfClasses) {
  nn::Sequential network("speech");
  network.Input(nn::VariableSequence(12, 3))
      .Layer(nn::Lstm(4))
      .Layer(nn::Output(5).Loss(nn::Ctc()));
  const nn::ModelConfig model = Built(network);
  const StepData data(model, {.examples = 3, .labelled = 0.5});
  EXPECT_THAT(data.Of(0).lengths, Each(12));
  EXPECT_THAT(data.labels(), SizeIs(StepData::kMinibatches * 3 * 3));
  EXPECT_THAT(data.labels(), Each(AllOf(Ge(0), Lt(4))));
  ExpectTrains(model, data);
}

TEST(StepData, NumbersAreInTheRangeOfTheirLoss) {
  nn::Sequential network("answers");
  network.Input(nn::FeedForward(3)).Layer(nn::Output(2).Loss(nn::BinaryCrossEntropy()));
  const nn::ModelConfig model = Built(network);
  const StepData data(model, {.examples = 20});
  EXPECT_THAT(data.targets(), SizeIs(StepData::kMinibatches * 20 * 2));
  EXPECT_THAT(data.targets(), Each(AllOf(Ge(0), Le(1))));
  ExpectTrains(model, data);
}

TEST(StepData, SeveralOutputsHaveClassesAndNumbersInOneRow) {
  nn::Sequential network("two");
  network.Input("x", nn::FeedForward(3))
      .Layer(nn::Dense(4).Name("shared"))
      .Layer(nn::Output(7).Loss(nn::SoftmaxCrossEntropy()).Name("kind").Inputs({"shared"}))
      .Layer(nn::Output(1).Loss(nn::MeanSquaredError()).Name("size").Inputs({"shared"}));
  const nn::ModelConfig model = Built(network);
  const StepData data(model, {.examples = 20});
  ASSERT_THAT(data.targets(), SizeIs(StepData::kMinibatches * 20 * 2));
  for (size_t i = 0; i < data.targets().size(); i += 2) {
    EXPECT_EQ(data.targets()[i], std::floor(data.targets()[i]));
    EXPECT_THAT(data.targets()[i], AllOf(Ge(0), Lt(7)));
    EXPECT_THAT(data.targets()[i + 1], AllOf(Ge(-1), Le(1)));
  }
  ExpectTrains(model, data);
}

TEST(StepData, IndicesFitTheSmallestEmbeddingOfTheirInput) {
  nn::Sequential network("table");
  network.Input("number", nn::FeedForward(1))
      .Input("category", nn::FeedForward(1))
      .Layer(nn::Embedding(9, 2).Inputs({"category"}).Name("wide"))
      .Layer(nn::Embedding(3, 2).Inputs({"category"}).Name("narrow"))
      .Layer(nn::Concat().Inputs({"number", "wide", "narrow"}))
      .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy()));
  const nn::ModelConfig model = Built(network);
  const StepData data(model, {.examples = 20});
  for (size_t i = 0; i < data.features().size(); i += 2) {
    EXPECT_THAT(data.features()[i], AllOf(Ge(-1), Le(1)));
    EXPECT_THAT(data.features()[i + 1], testing::AnyOf(0, 1, 2));
  }
  ExpectTrains(model, data);
}

}  // namespace
}  // namespace dl::speed
