#include "nn/conf/model_json.h"

#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/members.h"
#include "tests/unit/nn_conf/sample_models.h"

namespace dl::nn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Json LeNetJson() { return ToJson(*LeNet().Build()); }

std::string ErrorOf(const Json& json) {
  auto model = ModelFromJson(json, "model");
  EXPECT_FALSE(model.ok());
  return std::string(model.status().message());
}

void ExpectRoundTrip(const ModelConfig& model) {
  const std::string text = ToJson(model).dump();
  auto parsed = ParseJson(text, "test");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  auto again = ModelFromJson(*parsed, "model");
  ASSERT_TRUE(again.ok()) << again.status() << "\n" << text;
  EXPECT_EQ(*again, model) << text;
  EXPECT_EQ(ToJson(*again).dump(), text);
}

TEST(ModelJsonTest, EverySampleRoundTrips) {
  for (const LayerType& type : LayerTypes()) {
    for (const LayerSample& sample : type.samples()) {
      Sequential builder("m");
      builder.Input(sample.input);
      if (std::holds_alternative<LossLayer>(sample.layer)) builder.Layer(PRelu());
      builder.Layer(sample.layer);
      if (!EndsModel(sample.layer)) builder.Layer(Output(2));
      auto model = builder.Build();
      ASSERT_TRUE(model.ok()) << model.status();
      ExpectRoundTrip(*model);
    }
  }
}

TEST(ModelJsonTest, PaddingIsANumberAPairOrAWord) {
  const auto padding = [](const char* text) {
    std::vector<std::string> mistakes;
    const auto conf = LayerFromJson(
        Json{{"type", "conv2d"}, {"filters", 1}, {"padding", Json::parse(text)}}, "l", mistakes);
    return conf ? ToJson(*conf)["padding"].dump() : mistakes.front();
  };
  EXPECT_EQ(padding("1"), "[1,1]");
  EXPECT_EQ(padding("[1,2]"), "[1,2]");
  EXPECT_EQ(padding("\"same\""), "\"same\"");
  EXPECT_THAT(padding("\"valid\""), HasSubstr("[height, width] or \"same\""));
  EXPECT_THAT(padding("[1]"), HasSubstr("must be [height, width]"));
}

// Tests of samples do not see a key that no sample sets.
template <typename Type, typename ConfOf>
void ExpectEveryKeyIsSet(const Type& type, ConfOf conf_of) {
  Json standard;
  WriteFields(MembersOf(type.make_default()), standard);
  for (const auto& [key, value] : standard.items()) {
    if (key == "labels_of") continue;  // names another output: ModelOutputsTest.RoundTrip
    bool is_set = false;
    for (const auto& sample : type.samples()) {
      Json stated;
      WriteFields(MembersOf(conf_of(sample)), stated);
      is_set |= stated[key] != value;
    }
    EXPECT_TRUE(is_set) << "no sample of " << type.tag << " sets " << key;
  }
}

TEST(ModelJsonTest, SamplesSetEveryKey) {
  for (const LayerType& type : LayerTypes())
    ExpectEveryKeyIsSet(type, [](const LayerSample& sample) { return sample.layer; });
  for (const UpdaterType& type : UpdaterTypes())
    ExpectEveryKeyIsSet(type, [](const UpdaterConf& sample) { return sample; });
}

TEST(ModelJsonTest, EveryModelKeyRoundTrips) {
  ExpectRoundTrip(*LeNet().Build());
  for (const UpdaterType& type : UpdaterTypes()) {
    for (const UpdaterConf& updater : type.samples()) {
      for (WeightInitConf init :
           {Xavier(), XavierNormal(), He(), Normal(0.1), Zero(), HeUniform(), Lecun(),
            LecunUniform(), Uniform(0.2), One(), IdentityMatrix(), PyTorch(), Orthogonal()}) {
        ExpectRoundTrip(*SmallWithMoments(updater)
                             .Seed(~uint64_t{0})
                             .WeightInit(init)
                             .L1(0.002)
                             .NormalizeGradients(ClipNormPerLayer(0.3))
                             .ClipGradientsByValue(0.7)
                             .ClipGradientsByNorm(5)
                             .Build());
      }
    }
  }
}

TEST(ModelJsonTest, AdaptersAreNotWrittenAndDefaultsAre) {
  const Json json = LeNetJson();
  EXPECT_EQ(json["layers"].size(), 6u);
  EXPECT_EQ(json["format"], 1);
  EXPECT_EQ(json["layers"][0]["groups"], 1);
  EXPECT_EQ(json["layers"][0]["padding"], Json::array({0, 0}));
  EXPECT_TRUE(json["layers"][0]["l2"].is_null());
  EXPECT_EQ(json["layers"][4]["name"], "dense1");
  EXPECT_EQ(json["clip_gradients_by_norm"], 0.0);
}

// Written by hand, like a user's document: the meaning of format 1 must never change.
TEST(ModelJsonTest, ReadsAShortDocumentOfFormat1) {
  auto json = ParseJson(
      R"({"format": 1, "name": "tiny", "input": {"type": "image", "channels": 1, "height": 4, "width": 4},
    "updater": {"type": "adam", "learning_rate": 0.001},
    "layers": [{"type": "conv2d", "filters": 2, "kernel": 3, "activation": {"type": "relu"}},
               {"type": "max_pool2d", "kernel": [2, 1]},
               {"type": "output", "units": 2, "loss": "softmax_cross_entropy"}]})",
      "test");
  ASSERT_TRUE(json.ok()) << json.status();
  auto model = ModelFromJson(*json, "");
  ASSERT_TRUE(model.ok()) << model.status();
  auto expected = Sequential("tiny")
                      .Updater(Adam(0.001))
                      .Input(Image(1, 4, 4))
                      .Layer(Conv2D(2).Kernel(3).Activation(Relu()))
                      .Layer(MaxPool2D(2, 1))
                      .Layer(Output(2))
                      .Build();
  EXPECT_EQ(*model, *expected);
}

TEST(ModelJsonTest, UnknownKeysAreNamedWithPathAndSuggestion) {
  Json json = LeNetJson();
  json["layers"][0]["kernal"] = 5;
  json["sede"] = 1;
  json["updater"]["momentun"] = 0.9;
  const std::string error = ErrorOf(json);
  EXPECT_THAT(error, HasSubstr("model.layers[0].kernal: unknown key; did you mean \"kernel\"?"));
  EXPECT_THAT(error, HasSubstr("model.sede: unknown key; did you mean \"seed\"?"));
  EXPECT_THAT(error, HasSubstr("model.updater.momentun: unknown key; did you mean \"momentum\"?"));
}

TEST(ModelJsonTest, UnknownTypesAreNamedWithSuggestion) {
  Json json = LeNetJson();
  json["layers"][4]["type"] = "dens";
  json["layers"][0]["activation"]["type"] = "tahn";
  const std::string error = ErrorOf(json);
  EXPECT_THAT(error,
              AllOf(HasSubstr("model.layers[4].type"), HasSubstr("did you mean \"dense\"?")));
  EXPECT_THAT(error, AllOf(HasSubstr("model.layers[0].activation.type"), HasSubstr("\"tanh\"")));
}

TEST(ModelJsonTest, JsonAndConfigMistakesComeTogether) {
  Json json = LeNetJson();
  json["layers"][0]["filters"] = "many";
  json["layers"][4]["units"] = 0;
  json["input"].erase("width");
  json["updater"]["learning_rate"]["initial"] = -1;
  const std::string error = ErrorOf(json);
  EXPECT_THAT(error, HasSubstr("model.layers[0].filters: must be a whole number"));
  EXPECT_THAT(error, HasSubstr("layer \"dense1\" (layers[4], dense): the number of units is 0"));
  EXPECT_THAT(error, HasSubstr("model.input.width: is missing"));
  EXPECT_THAT(error, HasSubstr("learning rate is -1"));
  EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 3) << error;
}

TEST(ModelJsonTest, NewerFormatIsRefused) {
  Json json = LeNetJson();
  json["format"] = kModelDocument.version() + 1;
  EXPECT_THAT(ErrorOf(json), HasSubstr("model.format: this model has format"));
}

TEST(ModelJsonTest, LayerWithoutTypeIsMistake) {
  for (const char* type : {"", "\0", "Dense"}) {
    Json json = LeNetJson();
    json["layers"][4]["type"] = type;
    EXPECT_THAT(ErrorOf(json), HasSubstr("model.layers[4].type: there is no layer type"));
  }
  Json json = LeNetJson();
  json["layers"][4]["type"] = "relu";
  EXPECT_THAT(ErrorOf(json), HasSubstr(R"(write {"type": "activation", "activation": "relu"})"));
  json["layers"][4].erase("type");
  EXPECT_EQ(ErrorOf(json), "model.layers[4].type: is missing");
}

TEST(ModelJsonTest, AnyJsonGetsAnAnswer) {
  for (const char* text : {"null", "[]", "3", "\"x\"", "{}", R"({"layers": null, "input": 3})",
                           R"({"layers": {}, "input": []})", R"({"layers": [null, 1, [], {}]})",
                           R"({"layers": [{"type": 4}]})", R"({"updater": "sgd"})"}) {
    auto json = ParseJson(text, "test");
    ASSERT_TRUE(json.ok());
    EXPECT_FALSE(ModelFromJson(*json, "model").ok()) << text;
  }
}

}  // namespace
}  // namespace dl::nn
