// Models that no builder creates. The engine must report that a layer's tensors do not match its
// kernels, which is a bug in the engine.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/sequential.h"
#include "nn/network.h"

namespace dl::nn {
namespace {

using ::testing::HasSubstr;

ModelConfig TwoDense() {
  auto model = Sequential("claims")
                   .Updater(Adam(0.1))
                   .Input(FeedForward(4))
                   .Layer(Dense(4).NoBias().Name("first"))
                   .Layer(Dense(4).NoBias().Name("second"))
                   .Layer(Output(3).Name("end"))
                   .Build();
  EXPECT_TRUE(model.ok()) << model.status();
  return *std::move(model);
}

void ExpectRefused(const ModelConfig& model, const std::string& message) {
  const auto network = Network::Create(model, {.max_batch = 2});
  ASSERT_FALSE(network.ok()) << "expected: " << message;
  EXPECT_EQ(network.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(network.status().message()), HasSubstr(message));
}

TEST(ParameterClaims, ParameterWithoutLayerIsAnError) {
  ModelConfig model = TwoDense();
  model.layers[0].parameters.push_back({.name = "slope", .shape = {3}});
  ExpectRefused(model, "no layer of the network claims the parameter first.slope");
}

TEST(ParameterClaims, ParameterOfTwoLayersIsAnError) {
  ModelConfig model = TwoDense();
  model.layers[1].name = model.layers[0].name;
  ExpectRefused(model, "two layers of the network claim the parameter first.weight");
}

TEST(ParameterClaims, ParameterOfWrongSizeIsAnError) {
  ModelConfig model = TwoDense();
  model.layers[1].parameters[0].shape = {4, 5};
  ExpectRefused(model, "the parameter second.weight has 20 values, but its layer has 16");
}

}  // namespace
}  // namespace dl::nn
