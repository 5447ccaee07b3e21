#include "nn/conf/weight_constraint.h"

#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/model_json.h"
#include "nn/conf/sequential.h"

namespace dl::nn {
namespace {

using ::testing::HasSubstr;

// Returns a model with a dense layer and an output. Arguments that are not empty set the constraint
// of the model and of the dense layer.
StatusOr<ModelConfig> Constrained(const std::string& of_model, const std::string& of_dense = "") {
  Json json = Json::parse(R"({"input": {"type": "feed_forward", "features": 4}, "layers": [
    {"type": "dense", "units": 3},
    {"type": "output", "units": 2, "loss": "mean_squared_error"}]})");
  if (!of_model.empty()) json["weight_constraint"] = Json::parse(of_model);
  if (!of_dense.empty()) json["layers"][0]["weight_constraint"] = Json::parse(of_dense);
  return ModelFromJson(json, "model");
}

std::string Refusal(const std::string& of_model, const std::string& of_dense = "") {
  const auto model = Constrained(of_model, of_dense);
  EXPECT_FALSE(model.ok()) << of_model << of_dense;
  return std::string(model.status().message());
}

TEST(WeightConstraint, LayerOverridesModel) {
  const auto check = [](const std::string& of_model, const std::string& of_dense,
                        const WeightConstraintConf& dense, const WeightConstraintConf& output) {
    const auto model = Constrained(of_model, of_dense);
    ASSERT_TRUE(model.ok()) << model.status();
    for (const auto& [layer, expected] : {std::pair(0, dense), std::pair(1, output)}) {
      const std::vector<ParameterConf>& parameters = model->layers[layer].parameters;
      ASSERT_EQ(parameters.size(), 2u);
      EXPECT_EQ(parameters[0].weight_constraint, expected) << of_model << of_dense << layer;
      EXPECT_EQ(parameters[1].weight_constraint, NoConstraint()) << "a bias has none";
    }
  };
  const char* const two = R"({"type": "max_norm", "max": 2})";
  check("", "", NoConstraint(), NoConstraint());
  check(two, "", MaxNorm(2), MaxNorm(2));
  check(two, "null", MaxNorm(2), MaxNorm(2));
  check(two, R"({"type": "unit_norm"})", UnitNorm(), MaxNorm(2));
  check(two, R"("none")", NoConstraint(), MaxNorm(2));
  check(R"("unit_norm")", R"({"type": "max_norm", "max": 0.5})", MaxNorm(0.5), UnitNorm());
  check(R"({"type": "none"})", R"("unit_norm")", UnitNorm(), NoConstraint());
}

TEST(WeightConstraint, BuildersAndDocumentsAreTheSame) {
  const auto built = [](const WeightConstraintConf& of_model, Dense dense) {
    return Sequential("model")
        .WeightConstraint(of_model)
        .Input(FeedForward(4))
        .Layer(std::move(dense))
        .Layer(Output(2).Loss(MeanSquaredError()))
        .Build();
  };
  const auto plain = built(NoConstraint(), Dense(3));
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(*plain, *Constrained(""));
  EXPECT_EQ(ToJson(*plain)["weight_constraint"], Json::parse(R"({"type": "none"})"));
  EXPECT_TRUE(ToJson(*plain)["layers"][0]["weight_constraint"].is_null());
  const auto both = built(MaxNorm(2), Dense(3).WeightConstraint(UnitNorm()));
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ(*both, *Constrained(R"({"type": "max_norm", "max": 2})", R"("unit_norm")"));
  const Json json = ToJson(*both);
  EXPECT_EQ(json["weight_constraint"], Json::parse(R"({"type": "max_norm", "max": 2.0})"));
  EXPECT_EQ(json["layers"][0]["weight_constraint"], Json::parse(R"({"type": "unit_norm"})"));
  const auto again = ModelFromJson(json, "model");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, *both);
}

TEST(WeightConstraint, OnlyWeightsHaveIt) {
  const auto model = Sequential("m")
                         .WeightConstraint(UnitNorm())
                         .Input(Image(2, 6, 6))
                         .Layer(Conv2D(4))
                         .Layer(BatchNorm())
                         .Layer(PRelu())
                         .Layer(Flatten())
                         .Layer(Output(2))
                         .Build();
  ASSERT_TRUE(model.ok()) << model.status();
  std::vector<std::string> constrained;
  for (const LayerConfig& layer : model->layers) {
    for (const ParameterConf& parameter : layer.parameters) {
      if (parameter.weight_constraint == UnitNorm())
        constrained.push_back(layer.name + "." + parameter.name);
    }
  }
  EXPECT_THAT(constrained, testing::ElementsAre("conv1.weight", "output1.weight"));
}

TEST(WeightConstraint, MistakesAreNamed) {
  for (const char* max : {"0", "-1", "1e-31", "1e31"}) {
    const std::string bad = R"({"type": "max_norm", "max": )" + std::string(max) + "}";
    EXPECT_THAT(Refusal(bad), HasSubstr("the largest norm of the weight constraint is "));
    const std::string of_layer = Refusal("", bad);
    EXPECT_THAT(of_layer, HasSubstr("layer \"dense1\" (layers[0], dense): the largest norm"));
    EXPECT_THAT(of_layer, HasSubstr("1e-30"));
  }
  EXPECT_THAT(Refusal(R"("max_norm")"), HasSubstr("model.weight_constraint.max: is missing"));
  EXPECT_THAT(Refusal(R"({"type": "max_norm", "max": "2"})"),
              HasSubstr("model.weight_constraint.max: must be a number"));
  EXPECT_THAT(Refusal(R"({"type": "unit_norm", "max": 2})"),
              HasSubstr("model.weight_constraint.max: is a key of type \"max_norm\", and this is "
                        "\"unit_norm\""));
  EXPECT_THAT(Refusal(R"({"type": "max_norm", "max": 2, "axis": 0})"),
              HasSubstr("model.weight_constraint.axis: unknown key"));
  EXPECT_THAT(
      Refusal(R"({"type": "maxnorm", "max": 2})"),
      HasSubstr("model.weight_constraint.type: is \"maxnorm\", must be one of none, max_norm, "
                "unit_norm; did you mean \"max_norm\"?"));
  EXPECT_THAT(
      Refusal("", R"("unit_nrom")"),
      HasSubstr("model.layers[0].weight_constraint.type: is \"unit_nrom\", must be one of none, "
                "max_norm, unit_norm; did you mean \"unit_norm\"?"));
  EXPECT_THAT(Refusal("2"), HasSubstr("model.weight_constraint"));
  EXPECT_THAT(Refusal(R"({"max": 2})"), HasSubstr("model.weight_constraint.type: is missing"));
}

}  // namespace
}  // namespace dl::nn
