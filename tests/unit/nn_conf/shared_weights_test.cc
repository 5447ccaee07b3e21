// Models with several inputs, and layers that use weights of other layers.
#include "nn/conf/shared_weights.h"

#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/layer_table.h"
#include "nn/conf/model_json.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Sequential Pair() {
  return Sequential("pair").Input("left", Image(1, 6, 6)).Input("right", Image(1, 6, 6));
}
// A model that is complete except for the layer `right`.
Sequential Siamese(LayerConf right) {
  SetInputs(right, {"right"});
  SetName(right, "right_code");
  return Pair()
      .Layer(Dense(4).Inputs({"left"}).Name("left_code"))
      .Layer(std::move(right))
      .Layer(Concat().Inputs({"left_code", "right_code"}))
      .Layer(Output(2));
}

std::string MistakeOf(const Sequential& builder) {
  const auto model = builder.Build();
  EXPECT_FALSE(model.ok());
  const std::string text(model.status().message());
  EXPECT_EQ(std::ranges::count(text, '\n'), 0) << text;
  return text;
}

std::vector<std::string> SegmentsOf(const ModelConfig& model) {
  const SegmentTable table = FullTable(model);
  std::vector<std::string> names;
  for (const Segment& segment : table.segments()) names.push_back(segment.name);
  return names;
}

TEST(SharedWeightsTest, StateHasThemOnce) {
  const auto model = Siamese(Dense(4).WeightsOf("left_code")).Build();
  ASSERT_THAT(model, test::IsOk());
  EXPECT_THAT(SegmentsOf(*model),
              ElementsAre("left_code.weight", "left_code.bias", "output1.weight", "output1.bias"));
  EXPECT_EQ(model->ParameterCount(), 36 * 4 + 4 + 8 * 2 + 2);
  EXPECT_THAT(Summary(*model), HasSubstr("of left_code  "));
}

TEST(SharedWeightsTest, UnsharedParametersAreOwned) {
  const auto model = Sequential("tied")
                         .Input(Sequence(3, 1))
                         .Layer(Embedding(7, 4).Name("words"))
                         .Layer(Output(7).WeightsOf("words"))
                         .Build();
  ASSERT_THAT(model, test::IsOk());
  EXPECT_THAT(SegmentsOf(*model), ElementsAre("words.weight", "output1.bias"));
}

TEST(SharedWeightsTest, ChainOfSharingUsesFirstOwner) {
  const auto model = Sequential("chain")
                         .Input(FeedForward(4))
                         .Layer(Dense(4).Name("a"))
                         .Layer(Dense(4).WeightsOf("a").Name("b"))
                         .Layer(Dense(4).WeightsOf("b").Name("c"))
                         .Layer(Output(2))
                         .Build();
  ASSERT_THAT(model, test::IsOk());
  EXPECT_THAT(model->layers[2].shared,
              ElementsAre(SharedParameter{"weight", 0}, SharedParameter{"bias", 0}));
}

TEST(SharedWeightsTest, RoundTripThroughJson) {
  const auto model = Siamese(Dense(4).WeightsOf("left_code")).Build();
  ASSERT_THAT(model, test::IsOk());
  const Json json = ToJson(*model);
  EXPECT_FALSE(json.contains("input"));
  EXPECT_EQ(json["inputs"][1]["name"], "right");
  EXPECT_EQ(json["layers"][1]["weights_of"], "left_code");
  const auto read = ModelFromJson(json, "model");
  ASSERT_THAT(read, test::IsOk());
  EXPECT_EQ(*read, *model);
}

TEST(SharedWeightsTest, MistakesAreNamed) {
  EXPECT_THAT(MistakeOf(Siamese(Dense(4).WeightsOf("left_cod"))),
              AllOf(HasSubstr("layer \"right_code\""),
                    HasSubstr("shares the weights of \"left_cod\", but no layer has that name"),
                    HasSubstr("did you mean \"left_code\"?")));
  EXPECT_THAT(MistakeOf(Siamese(Dense(4).WeightsOf("output1"))),
              HasSubstr("comes later in the list"));
  EXPECT_THAT(MistakeOf(Siamese(Dense(4).WeightsOf("left"))), HasSubstr("which is an input"));
  EXPECT_THAT(MistakeOf(Siamese(Dense(5).WeightsOf("left_code").NoBias())),
              HasSubstr("its weight is 5x36, but that of \"left_code\" is 4x36"));
  EXPECT_THAT(MistakeOf(Siamese(Dense(4).WeightsOf("left_code").L2(0.1))),
              HasSubstr("states how its weights start or change"));
  EXPECT_THAT(MistakeOf(Siamese(Dense(4).WeightsOf("left_code").BiasInit(0.1))),
              HasSubstr("states how its weights start or change"));
  EXPECT_THAT(MistakeOf(Sequential("slopes")
                            .Input(FeedForward(4))
                            .Layer(PRelu().Name("a"))
                            .Layer(PRelu().Slope(0.5).WeightsOf("a"))
                            .Layer(Output(2))),
              HasSubstr("states how its weights start or change"));
  EXPECT_THAT(MistakeOf(Siamese(ActivationLayer(Tanh()).WeightsOf("left_code"))),
              HasSubstr("has no weights to share with \"left_code\""));
  EXPECT_THAT(MistakeOf(Sequential("norms")
                            .Input(FeedForward(4))
                            .Layer(BatchNorm().Name("a"))
                            .Layer(BatchNorm().WeightsOf("a"))
                            .Layer(Output(2))),
              HasSubstr("keeps running moments of its input"));
}

// The owner's input is wrong. This is the only mistake, and no other layer is mistaken for the
// owner.
TEST(SharedWeightsTest, MistakeOfOwnerIsReportedOnce) {
  const Sequential inputs =
      Sequential("pair").Input("left", Image(1, 0, 6)).Input("right", Image(1, 6, 6));
  for (const bool another : {false, true}) {
    Sequential model = inputs;
    if (another) model.Layer(Dense(9).Inputs({"right"}).Name("other"));
    model.Layer(Dense(4).Inputs({"left"}).Name("left_code"))
        .Layer(Dense(4).WeightsOf("left_code").Inputs({"right"}).Name("right_code"))
        .Layer(Concat().Inputs({"left_code", "right_code", another ? "other" : "left_code"}))
        .Layer(Output(2));
    EXPECT_THAT(MistakeOf(model), HasSubstr("\"left\""));
  }
}

TEST(ModelInputsTest, FirstLayerNamesItsInput) {
  EXPECT_THAT(
      MistakeOf(Pair().Layer(Dense(2)).Layer(Concat().Inputs({"left", "right"})).Layer(Output(2))),
      HasSubstr("does not state which of 2 inputs it reads"));
}

TEST(ModelInputsTest, MistakesAreNamed) {
  EXPECT_THAT(MistakeOf(Pair().Layer(Dense(2).Inputs({"left"})).Layer(Output(2))),
              AllOf(HasSubstr("input \"right\""), HasSubstr("no layer reads it")));
  EXPECT_THAT(MistakeOf(Pair().Layer(Dense(2).Inputs({"input"})).Layer(Output(2))),
              HasSubstr("reads \"input\", but no layer has that name"));
  EXPECT_THAT(MistakeOf(Pair()
                            .Input("left", FeedForward(3))
                            .Layer(Concat().Inputs({"left", "right"}))
                            .Layer(Output(2))),
              HasSubstr("has the same name"));
  EXPECT_THAT(MistakeOf(Sequential("lengths")
                            .Input("a", VariableSequence(4, 3))
                            .Input("b", FeedForward(12))
                            .Layer(Lstm(2).LastState().Inputs({"a"}).Name("state"))
                            .Layer(Concat().Inputs({"b", "state"}))
                            .Layer(Output(2))),
              HasSubstr("the input \"a\" has a variable length, but the model has several inputs"));
}

TEST(ModelInputsTest, DocumentHasInputOrList) {
  const auto error = [](const char* text) {
    const auto json = ParseJson(text, "test");
    EXPECT_THAT(json, test::IsOk());
    return std::string(ModelFromJson(*json, "model").status().message());
  };
  EXPECT_THAT(error(R"({"input": {"type": "feed_forward", "features": 2}, "inputs": [],
                        "layers": [{"type": "output", "units": 2, "loss": "mean_squared_error"}]})"),
              HasSubstr("model.input: cannot be given together with inputs"));
  EXPECT_THAT(error(R"({"inputs": [], "layers": []})"),
              HasSubstr("model.inputs: must be a list of inputs, at least one"));
  EXPECT_THAT(
      error(R"({"inputs": [{"type": "feed_forward", "features": 2, "nam": "a"}],
                        "layers": []})"),
      AllOf(HasSubstr("model.inputs[0].name: is missing"), HasSubstr("did you mean \"name\"?")));
}

}  // namespace
}  // namespace dl::nn
