#include "nn/conf/step_cost.h"

#include "gtest/gtest.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/sequential.h"
#include "nn/conf/zoo/zoo.h"

namespace dl::nn {
namespace {

constexpr double kFloatBytes = 4;

ModelConfig BuiltFrom(const Sequential& network) {
  auto model = network.Build();
  EXPECT_TRUE(model.ok()) << model.status();
  return model.ok() ? *std::move(model) : ModelConfig();
}

Output Classes(int64_t units) { return Output(units).Loss(SoftmaxCrossEntropy()); }

TEST(StepCost, FirstDenseLayerHasNoInputGradient) {
  const ModelConfig model =
      BuiltFrom(Sequential("m").Input(FeedForward(7)).Layer(Dense(5)).Layer(Classes(3)));
  const StepCost cost = CostOfStep(model, {.examples = 4});
  // Forward and the gradient of the weights; the second layer has the gradient of its input too.
  EXPECT_EQ(cost.flops, 4 * (2 * (2 * 7 * 5) + 3 * (2 * 5 * 3)));
  EXPECT_EQ(cost.activation_bytes, 4 * kFloatBytes * (5 + 3));
}

TEST(StepCost, ConvolutionCountsNoPadding) {
  const ModelConfig model = BuiltFrom(Sequential("m")
                                          .Input(Image(2, 1, 1))
                                          .Layer(Conv2D(3).Kernel(3).Padding(1))
                                          .Layer(Conv2D(4).Kernel(3).Padding(1))
                                          .Layer(Classes(2)));
  // On one pixel, only the middle of a 3 x 3 kernel is inside.
  const StepCost cost = CostOfStep(model, {.examples = 5});
  EXPECT_EQ(cost.flops, 5 * (2 * (2 * 2 * 3) + 3 * (2 * 3 * 4) + 3 * (2 * 4 * 2)));
}

TEST(StepCost, CausalAttentionCountsStepsBefore) {
  const ModelConfig model = BuiltFrom(Sequential("m")
                                          .Input(Sequence(4, 1))
                                          .Layer(Embedding(9, 6))
                                          .Layer(SelfAttention(2).Causal())
                                          .Layer(Classes(2)));
  const StepCost cost = CostOfStep(model, {});
  const double projections = 2 * 4 * 4 * 6 * 6;
  const double heads = 2 * 2 * (4 * 5 / 2) * 6;  // 10 of 16 pairs of steps
  EXPECT_EQ(cost.flops, 3 * (projections + heads) + 3 * (4 * 2 * 6 * 2));
}

TEST(StepCost, RecurrentLayerWithoutInputGradientHasThatOfItsState) {
  const ModelConfig model =
      BuiltFrom(Sequential("m").Input(Sequence(3, 4)).Layer(Lstm(5).LastState()).Layer(Classes(2)));
  const double inputs = 3 * 4 * 2 * 4 * 5, states = 3 * 4 * 2 * 5 * 5;
  EXPECT_DOUBLE_EQ(CostOfStep(model, {}).flops, 2 * inputs + 3 * states + 3 * (2 * 5 * 2));
}

TEST(StepCost, FrozenLayerHasNoGradients) {
  const ModelConfig model = BuiltFrom(Sequential("m")
                                          .Updater(Sgd(0.1))
                                          .Input(FeedForward(7))
                                          .Layer(Dense(5).Frozen())
                                          .Layer(Classes(3)));
  const StepCost cost = CostOfStep(model, {});
  EXPECT_EQ(cost.flops, 1 * (2 * 7 * 5) + 2 * (2 * 5 * 3));
  EXPECT_EQ(cost.update_bytes, (5 * 3 + 3) * 3 * kFloatBytes);
}

TEST(StepCost, UpdateMovesStateAndReadsGradientsTwiceIfItClips) {
  Sequential network("m");
  network.Input(FeedForward(7)).Layer(Classes(3));
  constexpr double kParameters = 7 * 3 + 3;
  const auto bytes = [&] { return CostOfStep(BuiltFrom(network), {}).update_bytes; };
  const auto storage = [&] { return CostOfStep(BuiltFrom(network), {}).update_storage; };
  // Weight, gradient, weight; then two more for each state.
  network.Updater(Sgd(0.1));
  EXPECT_EQ(bytes(), 3 * kParameters * kFloatBytes);
  network.Updater(Nesterov(0.1));
  EXPECT_EQ(bytes(), 5 * kParameters * kFloatBytes);
  network.Updater(Adam(0.1));
  EXPECT_EQ(bytes(), 7 * kParameters * kFloatBytes);
  network.ClipGradientsByNorm(1);
  EXPECT_EQ(bytes(), 8 * kParameters * kFloatBytes);
  EXPECT_EQ(storage(), 4 * kParameters * kFloatBytes);
}

TEST(StepCost, OnlyLabelledRowsReachTheLastLayers) {
  const ModelConfig model = BuiltFrom(Sequential("m")
                                          .Input(Sequence(8, 1))
                                          .Layer(Embedding(9, 6))
                                          .Layer(SelfAttention(2))
                                          .Layer(Dense(5).Activation(Relu()))
                                          .Layer(LayerNorm())
                                          .Layer(Classes(4)));
  const double all = CostOfStep(model, {.examples = 2}).flops;
  const double quarter = CostOfStep(model, {.examples = 2, .labelled = 0.25}).flops;
  EXPECT_DOUBLE_EQ(all - quarter, 0.75 * 2 * 3 * (8 * 2 * 6 * 5 + 8 * 2 * 5 * 4));
}

TEST(StepCost, RowsBeforeJoinAllCount) {
  const ModelConfig model = BuiltFrom(Sequential("m")
                                          .Input(Sequence(8, 1))
                                          .Layer(Embedding(9, 6))
                                          .Layer(Dense(6).Name("shared"))
                                          .Layer(SelfAttention(2).Name("mixed"))
                                          .Layer(nn::Add().Inputs({"shared", "mixed"}))
                                          .Layer(Classes(4)));
  const double all = CostOfStep(model, {}).flops;
  const double half = CostOfStep(model, {.labelled = 0.5}).flops;
  EXPECT_DOUBLE_EQ(all - half, 0.5 * 3 * (8 * 2 * 6 * 4));
}

TEST(StepCost, CountsLeNet) {
  const auto model = zoo::LeNetA({Image(1, 28, 28), 10}).Build();
  ASSERT_TRUE(model.ok());
  const double conv1 = 24 * 24 * 25 * 20 * 2, conv2 = 8 * 8 * 25 * 20 * 50 * 2;
  const double dense = 800 * 500 * 2 + 500 * 10 * 2;
  EXPECT_EQ(CostOfStep(*model, {.examples = 128}).flops, 128 * (2 * conv1 + 3 * (conv2 + dense)));
}

}  // namespace
}  // namespace dl::nn
