#include "nn/conf/inner_model.h"

#include <cmath>

#include "gtest/gtest.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

using test::IsError;

// Predicts with the network of the part, using the tensors of the whole model with the same names.
std::vector<float> PredictPart(const ModelConfig& whole, const std::string& layer,
                               const Minibatch& batch) {
  const auto part = ModelUpTo(whole, layer);
  EXPECT_THAT(part, test::IsOk());
  if (!part.ok()) return {};
  const SegmentTable table = FullTable(whole);
  const std::vector<float> state = InitialState(whole, 3);
  auto network = Network::Create(*part, {.max_batch = 0, .max_evaluation_batch = batch.examples});
  EXPECT_THAT(network, test::IsOk());
  std::vector<SegmentSpan> stretches;
  for (const Segment& segment : (*network)->table().segments()) {
    const Segment* const found = table.Find(segment.name);
    EXPECT_NE(found, nullptr) << segment.name;
    stretches.push_back({segment.offset, table.View(*found, std::span<const float>(state))});
  }
  EXPECT_THAT((*network)->Load(stretches), test::IsOk());
  const auto predicted = (*network)->Predict(batch);
  EXPECT_THAT(predicted, test::IsOk());
  return {predicted->begin(), predicted->end()};
}

ModelConfig Branching() {
  auto model = Sequential("branching")
                   .Input(Image(1, 4, 4))
                   .Layer(Conv2D(2).Kernel(3).Activation(Tanh()).Name("conv"))
                   .Layer(BatchNorm().Name("bn"))
                   .Layer(Dense(3).Activation(Tanh()).Name("left"))
                   .Layer(Dense(4).Activation(Tanh()).Inputs({"bn"}).Name("right"))
                   .Layer(Concat().Inputs({"left", "right"}).Name("both"))
                   .Layer(Output(2).Loss(SoftmaxCrossEntropy()).Name("out"))
                   .Build();
  EXPECT_THAT(model, test::IsOk());
  return *std::move(model);
}

// The results of the layer before the output, multiplied by the output's weights, give the
// predictions.
TEST(InnerModel, OutputIsInputOfNextLayer) {
  const ModelConfig model = Branching();
  const std::vector<float> state = InitialState(model, 3);
  auto network = Network::Create(model, {.max_batch = 0, .max_evaluation_batch = 2});
  ASSERT_THAT(network, test::IsOk());
  const SegmentTable table = FullTable(model);
  const SegmentSpan all{0, std::span(state).first((*network)->table().size())};
  ASSERT_THAT((*network)->Load(std::span(&all, 1)), test::IsOk());
  std::vector<float> x(2 * 16);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(std::sin(1.7 * i));
  const Minibatch batch{.examples = 2, .features = x};
  const auto predicted = (*network)->Predict(batch);
  ASSERT_THAT(predicted, test::IsOk());
  const std::vector<float> inner = PredictPart(model, "both", batch);
  ASSERT_EQ(inner.size(), 2u * 7);
  const auto weight = table.View(*table.Find("out.weight"), std::span<const float>(state));
  const auto bias = table.View(*table.Find("out.bias"), std::span<const float>(state));
  for (int e = 0; e < 2; ++e) {
    double z[2];
    for (int k = 0; k < 2; ++k) {
      z[k] = bias[k];
      for (int i = 0; i < 7; ++i) z[k] += double{weight[k * 7 + i]} * inner[e * 7 + i];
    }
    EXPECT_NEAR((*predicted)[2 * e], 1 / (1 + std::exp(z[1] - z[0])), 1e-6);
  }
  // A single branch, and an image as one row.
  const std::vector<float> right = PredictPart(model, "right", batch);
  ASSERT_EQ(right.size(), 2u * 4);
  EXPECT_EQ(right[0], inner[3]);
  EXPECT_EQ(PredictPart(model, "conv", batch).size(), 2u * 2 * 2 * 2);
}

TEST(InnerModel, StepsOfASequenceAreRows) {
  auto model = Sequential("steps")
                   .Input(Sequence(3, 2))
                   .Layer(Gru(4).Name("gru"))
                   .Layer(LastStep())
                   .Layer(Output(2).Loss(SoftmaxCrossEntropy()))
                   .Build();
  ASSERT_THAT(model, test::IsOk());
  const std::vector<float> x{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(PredictPart(*model, "gru", {.examples = 1, .features = x}).size(), 3u * 4);
}

TEST(InnerModel, NamesThatAreNoInnerLayerAreRefused) {
  const ModelConfig model = Branching();
  EXPECT_THAT(ModelUpTo(model, "rigth").status(),
              IsError(absl::StatusCode::kInvalidArgument, "did you mean \"right\""));
  EXPECT_THAT(ModelUpTo(model, "out").status(),
              IsError(absl::StatusCode::kInvalidArgument, "is an output"));
}

}  // namespace
}  // namespace dl::nn
