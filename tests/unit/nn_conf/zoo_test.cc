#include "nn/conf/zoo/zoo.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dl::nn::zoo {
namespace {

ModelConfig Build(const Sequential& sequential) {
  auto model = sequential.Build();
  EXPECT_TRUE(model.ok()) << model.status();
  return model.ok() ? *std::move(model) : ModelConfig();
}

std::vector<std::string> ShapesOf(const ModelConfig& model, std::string_view type) {
  std::vector<std::string> shapes;
  for (const LayerConfig& layer : model.layers) {
    if (TagOf(layer.conf) == type) shapes.push_back(Describe(layer.output));
  }
  return shapes;
}

TEST(Zoo, ModelsHaveTheirPublishedParameters) {
  for (const ZooModel& one : ZooModels()) {
    const ModelConfig model = Build(one.make(one.published));
    EXPECT_EQ(model.name, one.name);
    EXPECT_EQ(model.ParameterCount(), one.parameters) << one.name;
    EXPECT_EQ(FindZooModel(one.name), &one);
  }
  EXPECT_EQ(FindZooModel("resnet19"), nullptr);
}

TEST(Zoo, NetworksForNumbersEndInOneUnitForEachTarget) {
  int networks = 0;
  for (const ZooModel& one : ZooModels()) {
    if (!one.predicts_numbers) continue;
    ++networks;
    const ModelConfig model = Build(one.make({.input = one.published.input, .targets = 3}));
    EXPECT_EQ(model.output().units, 3) << one.name;
    EXPECT_EQ(TagOf(model.output().loss), "mean_squared_error") << one.name;
  }
  EXPECT_EQ(networks, 8);
}

TEST(Zoo, ResNetsStagesHaveTheShapesOfThePaper) {
  const ModelConfig large = Build(ResNet50({Image(3, 224, 224), 1000}));
  EXPECT_EQ(ShapesOf(large, "max_pool2d"), std::vector<std::string>{"image 64x56x56"});
  const std::vector<std::string> sums = ShapesOf(large, "add");
  ASSERT_EQ(sums.size(), 16u);
  EXPECT_EQ(sums[2], "image 256x56x56");
  EXPECT_EQ(sums[6], "image 512x28x28");
  EXPECT_EQ(sums[12], "image 1024x14x14");
  EXPECT_EQ(sums[15], "image 2048x7x7");
}

TEST(Zoo, SmallImagesKeepTheirSizeUpToTheFirstStage) {
  const Task cifar{Image(3, 32, 32), 10};
  const ModelConfig resnet = Build(ResNet18(cifar));
  EXPECT_TRUE(ShapesOf(resnet, "max_pool2d").empty());
  EXPECT_EQ(ShapesOf(resnet, "add"),
            (std::vector<std::string>{"image 64x32x32", "image 64x32x32", "image 128x16x16",
                                      "image 128x16x16", "image 256x8x8", "image 256x8x8",
                                      "image 512x4x4", "image 512x4x4"}));
  EXPECT_EQ(resnet.ParameterCount(), 11'173'962);
  EXPECT_EQ(ShapesOf(Build(MobileNet(cifar)), "conv2d").back(), "image 1024x2x2");
  EXPECT_EQ(ShapesOf(Build(Vgg16(cifar)), "dense"), std::vector<std::string>{"512 features"});
}

}  // namespace
}  // namespace dl::nn::zoo
