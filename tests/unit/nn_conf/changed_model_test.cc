// Models changed through a builder: other layers, another output, frozen layers.
#include <algorithm>
#include <string>
#include <vector>

#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/model_json.h"
#include "nn/conf/sequential.h"
#include "nn/conf/zoo/zoo.h"

namespace dl::nn {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Adapts a model of the zoo to other classes. Its trunk keeps the trained weights.
TEST(ChangedModel, ModelOfTheZooIsChanged) {
  const auto model = zoo::LeNet5({.input = Image(1, 28, 28), .classes = 10})
                         .FreezeUpTo("conv2")
                         .RemoveFrom("output1")
                         .Layer(Dense(30).Activation(Tanh()))
                         .Layer(Output(3).Loss(SoftmaxCrossEntropy()))
                         .Build();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->output().units, 3);
  bool frozen = true;
  for (const LayerConfig& layer : model->layers) {
    for (const ParameterConf& parameter : layer.parameters)
      EXPECT_EQ(parameter.frozen, frozen) << layer.name;
    if (layer.name == "conv2") frozen = false;
  }
  EXPECT_FALSE(frozen) << "there is a layer conv2";
}

TEST(ChangedModel, LaterInputReplacesFormer) {
  const auto model =
      zoo::LeNet5({.input = Image(3, 32, 32), .classes = 10}).Input(Image(1, 28, 28)).Build();
  ASSERT_TRUE(model.ok()) << model.status();
  ASSERT_EQ(model->inputs.size(), 1u);
  EXPECT_EQ(model->input(), Image(1, 28, 28));
}

// Returns the names of layers with a frozen parameter.
std::vector<std::string> FrozenLayers(const ModelConfig& model) {
  std::vector<std::string> names;
  for (const LayerConfig& layer : model.layers) {
    if (std::ranges::any_of(layer.parameters, &ParameterConf::frozen)) names.push_back(layer.name);
  }
  return names;
}

TEST(ChangedModel, KeyOfTheDocumentFreezesUpToALayer) {
  const auto model = zoo::LeNet5({.input = Image(1, 28, 28), .classes = 10}).Build();
  ASSERT_TRUE(model.ok()) << model.status();
  Json document = ToJson(*model);
  document["freeze_up_to"] = "conv2";
  const auto frozen = ModelFromJson(document, "model");
  ASSERT_TRUE(frozen.ok()) << frozen.status();
  EXPECT_THAT(FrozenLayers(*frozen), ElementsAre("conv1", "conv2"));
  EXPECT_FALSE(ToJson(*frozen).contains("freeze_up_to")) << "each layer says frozen instead";
  EXPECT_EQ(*ModelFromJson(ToJson(*frozen), "model"), *frozen);

  document["freeze_up_to"] = "";
  EXPECT_EQ(*ModelFromJson(document, "model"), *model);
  document["freeze_up_to"] = "conv3";
  EXPECT_THAT(std::string(ModelFromJson(document, "model").status().message()),
              AllOf(HasSubstr("no layer \"conv3\""), HasSubstr("did you mean")));
  document["freeze_up_to"] = "output1";
  EXPECT_THAT(std::string(ModelFromJson(document, "model").status().message()),
              HasSubstr("all weights are frozen, up to layer \"output1\""));
}

// The second layer has its own bias, which must be frozen too.
TEST(ChangedModel, LayerWithSharedWeightsIsFrozenWithTheirOwner) {
  const auto start = [](Dense second) {
    return Sequential("m")
        .Input(FeedForward(4))
        .Layer(Dense(4).NoBias().Name("a"))
        .Layer(second.WeightsOf("a").Name("b"))
        .Layer(Output(2));
  };
  const auto model = start(Dense(4)).FreezeUpTo("b").Build();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(FrozenLayers(*model), ElementsAre("a", "b"));
  EXPECT_EQ(*ModelFromJson(ToJson(*model), "model"), *model);
  EXPECT_THAT(std::string(start(Dense(4).Frozen()).Build().status().message()),
              HasSubstr("State it only there"))
      << "the owner is trained";
}

TEST(ChangedModel, LayerIsReplacedInItsPlace) {
  const auto start = [] {
    return Sequential("m")
        .Input(FeedForward(4))
        .Layer(Dense(3).Name("a"))
        .Layer(Dense(5).Name("b").Inputs({"input"}))
        .Layer(Concat().Inputs({"a", "b"}))
        .Layer(Output(2).Loss(SoftmaxCrossEntropy()));
  };
  const auto model = start().Replace("b", Dense(7).Activation(Tanh())).Build();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->layers[1].name, "b");
  EXPECT_EQ(std::get<Dense>(model->layers[1].conf).units, 7);
  EXPECT_TRUE(IsInput(model->layers[1].reads[0])) << "reads what the other one read";
  EXPECT_EQ(start().Replace("b", Dense(5)).Build()->layers, start().Build()->layers);
}

TEST(ChangedModel, ChangeOfALayerThatIsNotThereIsAMistake) {
  Sequential model = zoo::LeNet5({.input = Image(1, 28, 28), .classes = 10});
  const Status wrong = model.FreezeUpTo("conv22").Replace("head", Dense(3)).Build().status();
  EXPECT_NE(std::string(wrong.message()).find("conv22"), std::string::npos) << wrong;
  EXPECT_NE(std::string(wrong.message()).find("head"), std::string::npos) << wrong;
  EXPECT_NE(std::string(wrong.message()).find("conv2"), std::string::npos) << wrong;
}

}  // namespace
}  // namespace dl::nn
