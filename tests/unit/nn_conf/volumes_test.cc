// Volumes: their type, windows over volumes, and which layers accept them.
#include <cmath>

#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/caches_in_bits.h"
#include "nn/conf/sequential.h"

namespace dl::nn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Returns the layer's output type, or the error.
std::string GivenBy(const LayerConf& layer, const InputType& input) {
  const auto built = Sequential("m").Input(input).Layer(layer).Layer(Output(2)).Build();
  if (!built.ok()) return DescribeError(built.status());
  for (const LayerConfig& config : built->layers) {
    if (config.origin != LayerConfig::Origin::kAdapter) return Describe(config.output);
  }
  return "nothing";
}

TEST(Volumes, AreChannelsFirst) {
  const InputType volume = Volume(2, 16, 28, 30);
  EXPECT_EQ(Describe(volume), "volume 2x16x28x30");
  EXPECT_EQ(volume.Shape(), (std::vector<int64_t>{2, 16, 28, 30}));
  EXPECT_EQ(volume.Elements(), 2 * 16 * 28 * 30);
  EXPECT_EQ(volume.Pixels(), 16 * 28 * 30);
  EXPECT_FALSE(volume.IsImage());
  EXPECT_NE(Volume(2, 1, 28, 30), Image(2, 28, 30));
}

TEST(Volumes, AreWrittenWithDepth) {
  const Json json = ToJson(Volume(2, 3, 4, 5));
  EXPECT_EQ(JsonText(json), R"({"channels":2,"depth":3,"height":4,"type":"volume","width":5})");
  JsonObjectReader parent(json, "model.input");
  EXPECT_EQ(InputTypeFromJson(json, "model.input", parent), Volume(2, 3, 4, 5));
  EXPECT_TRUE(parent.errors().empty());
  EXPECT_EQ(ToJson(Image(2, 4, 5)).contains("depth"), false);
  const auto error = [&](Json wrong, const char* type) {
    wrong["type"] = type;
    JsonObjectReader reader(wrong, "model.input");
    InputTypeFromJson(wrong, "model.input", reader);
    return reader.errors().size() == 1 ? reader.errors().front() : std::string();
  };
  EXPECT_THAT(error(json, "image"), HasSubstr("depth"));
  EXPECT_THAT(error(ToJson(Image(2, 4, 5)), "volume"), HasSubstr("depth"));
}

TEST(Volumes, HaveLimitsOfTheirOwn) {
  EXPECT_TRUE(CheckInputType(Volume(1, 256, 512, 512)).ok());
  EXPECT_THAT(CheckInputType(Volume(2, 256, 512, 512)).message(), HasSubstr("values for one"));
  EXPECT_THAT(CheckInputType(Volume(1, 0, 4, 4)).message(), HasSubstr("an extent of 0"));
  EXPECT_THAT(CheckInputType(Volume(1 << 20, 1 << 20, 1 << 20, 1 << 20)).message(),
              HasSubstr("values for one"));
}

TEST(Volumes, WindowsFollowTheFormula) {
  const InputType input = Volume(4, 9, 8, 7);
  // floor((in + 2 padding - reach) / stride) + 1 for 9, 8 and 7.
  EXPECT_EQ(GivenBy(Conv3D(5), input), "volume 5x7x6x5");
  EXPECT_EQ(GivenBy(Conv3D(5).Kernel(3, 2, 1).Stride(2, 1, 3).Padding(1, 0, 0), input),
            "volume 5x5x7x3");
  EXPECT_EQ(GivenBy(Conv3D(5).Kernel(2).Dilation(3, 2, 1), input), "volume 5x6x6x6");
  EXPECT_EQ(GivenBy(Conv3D(6).Kernel(4, 3, 5).Stride(2, 3, 4).SamePadding().Groups(2), input),
            "volume 6x5x3x2");
  EXPECT_EQ(GivenBy(MaxPool3D(2), input), "volume 4x4x4x3");
  EXPECT_EQ(GivenBy(AvgPool3D(3, 2, 1).Stride(1, 2, 3).Padding(1, 0, 0), input), "volume 4x9x4x3");
  EXPECT_EQ(GivenBy(GlobalAvgPool3D(), input), "volume 4x1x1x1");
}

TEST(Volumes, ConvolutionsHaveWeightsOfTheirKernels) {
  const Conv3D conv = Conv3D(6).Kernel(2, 3, 5).Groups(2);
  const std::vector<ParameterConf> tensors =
      conv.Parameters(Volume(4, 9, 9, 9), {.weight_init = He()});
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors[0].shape, (std::vector<int64_t>{6, 2, 2, 3, 5}));
  EXPECT_EQ(tensors[1].shape, (std::vector<int64_t>{6}));
  // He's deviation is sqrt(2 / fan_in), with 2 channels and 30 taps.
  EXPECT_NEAR(tensors[0].initializer.scale, std::sqrt(2.0 / 60), 1e-12);
}

TEST(Volumes, KernelsAreANumberOrOneForEachAxis) {
  const auto read = [](const char* key, const char* text) {
    std::vector<std::string> mistakes;
    const auto conf = LayerFromJson(
        Json{{"type", "conv3d"}, {"filters", 1}, {key, Json::parse(text)}}, "l", mistakes);
    return conf ? ToJson(*conf)[key].dump() : mistakes.front();
  };
  EXPECT_EQ(read("kernel", "2"), "[2,2,2]");
  EXPECT_EQ(read("kernel", "[1,2,3]"), "[1,2,3]");
  EXPECT_THAT(read("kernel", "[1,2]"), HasSubstr("must be [depth, height, width], has 2 numbers"));
  EXPECT_EQ(read("padding", "\"same\""), "\"same\"");
  EXPECT_THAT(read("padding", "\"valid\""), HasSubstr("[depth, height, width] or \"same\""));
  std::vector<std::string> mistakes;
  const auto pool = LayerFromJson(Json{{"type", "max_pool3d"}, {"kernel", Json::parse("[1,2,3]")}},
                                  "l", mistakes);
  ASSERT_TRUE(pool.has_value());
  EXPECT_EQ(ToJson(*pool)["stride"].dump(), "[1,2,3]") << "the kernel, where nothing is said";
}

TEST(Volumes, AreFlattenedBeforeDenseLayers) {
  const auto model =
      Sequential("m").Input(Volume(2, 3, 4, 5)).Layer(Dense(7)).Layer(Output(2)).Build();
  ASSERT_TRUE(model.ok()) << model.status();
  ASSERT_EQ(model->layers.size(), 3u);
  EXPECT_EQ(model->layers[0].origin, LayerConfig::Origin::kAdapter);
  EXPECT_EQ(model->layers[0].output, FeedForward(120));
  EXPECT_EQ(model->ParameterCount(), 120 * 7 + 7 + 7 * 2 + 2);
}

TEST(Volumes, GoWhereTheirShapeDoesNotMatter) {
  const InputType input = Volume(4, 3, 2, 5);
  for (const LayerConf& layer :
       std::vector<LayerConf>{ActivationLayer(Gelu()), BatchNorm(), GroupNorm(2), InstanceNorm(),
                              PRelu(), Dropout(0.1), SpatialDropout(0.1), ScaleShift()}) {
    EXPECT_EQ(GivenBy(layer, input), "volume 4x3x2x5") << TagOf(layer);
  }
  EXPECT_EQ(GivenBy(Subset(1, 2), input), "volume 2x3x2x5");
  EXPECT_EQ(GivenBy(Concat().Inputs({"input", "input"}), input), "volume 8x3x2x5");
  EXPECT_EQ(GivenBy(Maximum().Inputs({"input", "input"}), input), "volume 4x3x2x5");
  EXPECT_EQ(GivenBy(Permute({4, 1, 3, 2}), input), "volume 5x4x2x3");
  EXPECT_EQ(GivenBy(Reshape(Image(12, 2, 5)), input), "image 12x2x5");
  EXPECT_EQ(GivenBy(Reshape(Volume(2, 6, 5, 2)), input), "volume 2x6x5x2");
}

TEST(Volumes, OtherLayersRefuseThem) {
  const InputType volume = Volume(4, 3, 2, 5);
  for (const LayerConf& layer :
       std::vector<LayerConf>{Conv2D(4), TransposedConv2D(4), MaxPool2D(2), AvgPool2D(2),
                              GlobalAvgPool2D(), Upsample2D(2), AdaptiveAvgPool2D(2),
                              AdaptiveMaxPool2D(2), ZeroPad2D(1), Crop2D(1), LocalResponseNorm()}) {
    EXPECT_THAT(
        GivenBy(layer, volume),
        AllOf(HasSubstr(std::string(TagOf(layer)) + "): needs an image, but its input is volume "
                                                    "4x3x2x5"),
              HasSubstr("Use a layer of volumes, as conv3d")));
  }
  for (const LayerConf& layer :
       std::vector<LayerConf>{Conv3D(4), MaxPool3D(2), AvgPool3D(2), GlobalAvgPool3D()}) {
    EXPECT_THAT(GivenBy(layer, Image(4, 3, 5)),
                AllOf(HasSubstr("needs a volume, but its input is image 4x3x5"),
                      HasSubstr("Declare the input as a volume")));
    EXPECT_THAT(GivenBy(layer, FeedForward(60)),
                AllOf(HasSubstr("needs a volume, but its input is 60 features"),
                      HasSubstr("Put it before the first dense or flatten layer")));
  }
  EXPECT_THAT(GivenBy(GroupNorm(2), FeedForward(60)), HasSubstr("needs an image or a volume"));
  EXPECT_THAT(GivenBy(Lstm(3), volume), HasSubstr("needs a sequence, but its input is volume"));
  EXPECT_THAT(GivenBy(ActivationLayer(Softmax()), volume), HasSubstr("softmax needs a flat input"));
  EXPECT_THAT(GivenBy(Permute({3, 1, 2}), volume), HasSubstr("State 4 axes"));
  const auto joined = Sequential("m")
                          .Input(volume)
                          .Layer(MaxPool3D(2, 1, 1).Stride(1).Name("short"))
                          .Layer(Concat().Inputs({"input", "short"}))
                          .Layer(Output(2))
                          .Build();
  EXPECT_THAT(DescribeError(joined.status()),
              HasSubstr("but its inputs are volume 4x3x2x5 and volume 4x2x2x5"));
}

TEST(Volumes, WindowsThatDoNotFitAreNamed) {
  const InputType input = Volume(3, 4, 8, 8);
  EXPECT_THAT(GivenBy(Conv3D(4).Kernel(5, 3, 3), input),
              AllOf(HasSubstr("layer \"conv1\" (layers[0], conv3d)"),
                    HasSubstr("a kernel of 5x3x3 does not fit the padded input of 4x8x8 (volume "
                              "3x4x8x8)")));
  EXPECT_THAT(GivenBy(AvgPool3D(9), input), HasSubstr("9x9x9 does not fit"));
  EXPECT_THAT(GivenBy(Conv3D(4).Kernel(0, 1, 1), input), HasSubstr("kernel's depth is 0"));
  EXPECT_THAT(GivenBy(Conv3D(4).Padding(3, 0, 0), input), HasSubstr("padding's depth is 3"));
  EXPECT_THAT(GivenBy(MaxPool3D(2).Stride(0, 1, 1), input), HasSubstr("stride's depth is 0"));
  EXPECT_THAT(GivenBy(Conv3D(4).Groups(2), input), HasSubstr("3 input channels cannot be split"));
}

// 16777216 x 43347 x 42601 x 7145 values are 3 x 2^24 modulo 2^64.
TEST(Volumes, ProductsBeyondAnyNumberAreRefused) {
  EXPECT_THAT(
      GivenBy(Conv3D(1 << 24).Kernel(65536).Padding(54440, 54067, 36339), Volume(1, 2, 2, 2)),
      AllOf(HasSubstr("its output, volume 16777216x43347x42601x7145"),
            HasSubstr("values for one example")));
  // 2^48 taps for each of 2^20 channels.
  EXPECT_THAT(GivenBy(Conv3D(2).Kernel(65536).Padding(32767), Volume(1 << 20, 2, 2, 2)),
              HasSubstr("with its weight the model has more than 4294967296 parameters"));
}

TEST(Volumes, UnevenGroupsNeedSecondCacheInContract) {
  const auto caches = [](const Conv3D& conv) {
    const auto model =
        Sequential("m").Input(Volume(48, 3, 3, 3)).Layer(conv).Layer(Output(2)).Build();
    return CachesInBitsOf(model.value(), 1, Precision::kFloat32);
  };
  EXPECT_TRUE(caches(Conv3D(40).Groups(2)).second);
  EXPECT_FALSE(caches(Conv3D(40)).second);
}

}  // namespace
}  // namespace dl::nn
