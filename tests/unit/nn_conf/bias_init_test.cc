// Initial constants of biases.
#include <algorithm>
#include <set>

#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/layers/layer_registry.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

using test::IsOk;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Returns a layer of each type that may have a bias.
std::vector<LayerSample> WithBias(double bias_init) {
  return {
      {Dense(3).BiasInit(bias_init), FeedForward(4)},
      {Conv1D(3).BiasInit(bias_init), Sequence(5, 2)},
      {Conv2D(3).BiasInit(bias_init), Image(2, 5, 4)},
      {Conv3D(3).BiasInit(bias_init), Volume(2, 4, 3, 5)},
      {TransposedConv2D(3).Kernel(2).BiasInit(bias_init), Image(2, 3, 4)},
      {SelfAttention(2).BiasInit(bias_init), Sequence(3, 4)},
      {CrossAttention(2).Inputs({"input", "input"}).BiasInit(bias_init), Sequence(3, 4)},
      {Output(3).BiasInit(bias_init), FeedForward(4)},
  };
}

Sequential Around(const LayerSample& sample) {
  Sequential model("m");
  model.Input(sample.input).Layer(sample.layer);
  if (!EndsModel(sample.layer)) model.Layer(Output(2));
  return model;
}

std::string MistakeOf(const LayerConf& layer, const InputType& input) {
  const auto model = Around({layer, input}).Build();
  EXPECT_FALSE(model.ok());
  return std::string(model.status().message());
}

// Returns the concatenated initial biases of the sample's layer.
std::vector<float> BiasesOf(const ModelConfig& model, const LayerSample& sample) {
  const auto layer = std::ranges::find_if(
      model.layers, [&](const LayerConfig& one) { return TagOf(one.conf) == TagOf(sample.layer); });
  const SegmentTable table = FullTable(model);
  const std::vector<float> state = InitialState(model, 5);
  std::vector<float> biases;
  for (const ParameterConf& parameter : layer->parameters) {
    if (!parameter.name.ends_with("bias")) continue;
    const auto values =
        table.View(*table.Find(layer->name + "." + parameter.name), std::span<const float>(state));
    biases.insert(biases.end(), values.begin(), values.end());
  }
  return biases;
}

TEST(BiasInit, SetsInitialBiasesOfEachLayer) {
  for (const double start : {0.25, -1000.0, 0.0}) {
    for (const LayerSample& sample : WithBias(start)) {
      SCOPED_TRACE(TagOf(sample.layer));
      const auto model = Around(sample).Build();
      ASSERT_THAT(model, IsOk());
      const std::vector<float> biases = BiasesOf(*model, sample);
      EXPECT_THAT(biases, AllOf(Not(IsEmpty()), Each(static_cast<float>(start))));
    }
  }
}

// Weights have the same initial values as without bias_init.
TEST(BiasInit, ChangesNothingElse) {
  for (size_t i = 0; i < WithBias(0).size(); ++i) {
    const auto with = Around(WithBias(2)[i]).Build(), without = Around(WithBias(0)[i]).Build();
    ASSERT_THAT(with, IsOk());
    ASSERT_THAT(without, IsOk());
    const std::vector<float> some = InitialState(*with, 5), none = InitialState(*without, 5);
    ASSERT_EQ(some.size(), none.size());
    size_t differ = 0;
    for (size_t j = 0; j < some.size(); ++j) {
      if (some[j] == none[j]) continue;
      EXPECT_EQ(some[j], 2.0f);
      EXPECT_EQ(none[j], 0.0f);
      ++differ;
    }
    EXPECT_EQ(differ, BiasesOf(*with, WithBias(2)[i]).size());
  }
}

TEST(BiasInit, WinsOverTheModelsWay) {
  for (const LayerSample& sample : WithBias(0.5)) {
    const auto model = Around(sample).WeightInit(PyTorch()).Build();
    ASSERT_THAT(model, IsOk());
    EXPECT_THAT(BiasesOf(*model, sample), Each(0.5f)) << TagOf(sample.layer);
  }
  for (const LayerSample& sample : WithBias(0)) {
    const auto model = Around(sample).WeightInit(PyTorch()).Build();
    ASSERT_THAT(model, IsOk());
    const std::vector<float> biases = BiasesOf(*model, sample);
    EXPECT_EQ(std::set<float>(biases.begin(), biases.end()).size(), biases.size());
  }
}

TEST(BiasInit, GoesThroughJson) {
  for (const LayerSample& sample : WithBias(-0.75)) {
    const Json json = ToJson(sample.layer);
    EXPECT_EQ(json["bias_init"], -0.75);
    std::vector<std::string> errors;
    const auto read = LayerFromJson(json, "layer", errors);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(ToJson(*read), json);
    EXPECT_TRUE(*read == sample.layer);
  }
  EXPECT_EQ(ToJson(LayerConf(Dense(3)))["bias_init"], 0.0);
  EXPECT_FALSE(ToJson(LayerConf(Lstm(3))).contains("bias_init"));
}

TEST(BiasInit, MistakesAreNamed) {
  const auto both = []<typename Layer>(const Layer& layer, const InputType& input) {
    EXPECT_THAT(
        MistakeOf(Layer(layer).NoBias().BiasInit(0.5), input),
        AllOf(HasSubstr("has bias_init but no bias"), HasSubstr(R"(Leave "bias_init" out)")));
    EXPECT_THAT(MistakeOf(Layer(layer).WeightInit(PyTorch()).BiasInit(0.5), input),
                AllOf(HasSubstr("weight_init pytorch draws biases"),
                      HasSubstr(R"(choose another "weight_init")")));
    EXPECT_THAT(Around({Layer(layer).NoBias(), input}).Build(), IsOk());
    EXPECT_THAT(Around({Layer(layer).WeightInit(PyTorch()), input}).Build(), IsOk());
    EXPECT_THAT(Around({Layer(layer).WeightInit(He()).BiasInit(0.5), input}).Build(), IsOk());
  };
  both(Dense(3), FeedForward(4));
  both(Conv1D(3), Sequence(5, 2));
  both(Conv2D(3), Image(2, 5, 4));
  both(Conv3D(3), Volume(2, 4, 3, 5));
  both(TransposedConv2D(3), Image(2, 3, 4));
  both(SelfAttention(2), Sequence(3, 4));
  both(CrossAttention(2).Inputs({"input", "input"}), Sequence(3, 4));
  both(Output(3), FeedForward(4));
  EXPECT_THAT(MistakeOf(Dense(3).BiasInit(1000.5), FeedForward(4)),
              HasSubstr("what biases start from is 1000.5, out of range. Choose a value from -1000 "
                        "to 1000"));
  EXPECT_THAT(MistakeOf(Conv2D(3).BiasInit(-1001), Image(1, 4, 4)), HasSubstr("out of range"));
}

}  // namespace
}  // namespace dl::nn
