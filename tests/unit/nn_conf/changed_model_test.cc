// Models that a builder changes: other layers, another end, frozen layers.
#include <string>

#include "gtest/gtest.h"
#include "nn/conf/layer_config.h"
#include "nn/conf/sequential.h"
#include "nn/conf/zoo/zoo.h"

namespace dl::nn {
namespace {

// A model of the zoo for other classes, whose trunk stays as it was trained.
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
