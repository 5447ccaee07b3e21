// Properties of every row of LossTypes().
#include <limits>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/members.h"
#include "nn/conf/model_json.h"
#include "nn/conf/sequential.h"

namespace dl::nn {
namespace {

using ::testing::HasSubstr;

Json KeysOf(const LossConf& loss) {
  Json json = Json::object();
  WriteFields(MembersOf(loss), json);
  return json;
}

// Reads a model document with `loss`. The input is a sequence, which every loss accepts.
StatusOr<ModelConfig> Read(const Json& loss, int64_t units = 3) {
  return ModelFromJson({{"input", {{"type", "sequence"}, {"steps", 2}, {"features", 2}}},
                        {"layers", {{{"type", "output"}, {"units", units}, {"loss", loss}}}}},
                       "model");
}

TEST(LossTypes, HaveTagsOfTheirOwnAndSamplesThatDiffer) {
  std::set<std::string_view> tags;
  for (const LossType& type : LossTypes()) {
    EXPECT_TRUE(tags.insert(type.tag).second) << type.tag << " twice";
    EXPECT_EQ(TagOf(type.make_default()), type.tag);
    const std::vector<LossConf> samples = type.samples();
    ASSERT_FALSE(samples.empty()) << type.tag;
    // Each key must differ from its default in some sample; else no test would notice a missing
    // key.
    const Json standard = KeysOf(type.make_default());
    for (const auto& [key, value] : standard.items()) {
      bool varies = false;
      for (const LossConf& sample : samples) varies |= KeysOf(sample).at(key) != value;
      EXPECT_TRUE(varies) << "no sample of " << type.tag << " sets " << key;
    }
  }
}

// The document contains the whole loss, except keys with default values.
TEST(LossTypes, WithoutKeysAreWrittenAsWord) {
  for (const LossType& type : LossTypes()) {
    EXPECT_EQ(ToJson(type.make_default()), type.tag);
    for (const LossConf& sample : type.samples()) {
      const Json written = ToJson(sample);
      EXPECT_EQ(written.is_string(), sample == type.make_default()) << written;
      const auto model = Read(written);
      ASSERT_TRUE(model.ok()) << model.status();
      EXPECT_EQ(model->output().loss, sample) << written;
    }
  }
  const Json huber = {{"type", "huber"}, {"delta", 0.5}};
  EXPECT_EQ(ToJson(LossConf(Huber(0.5))), huber);
}

TEST(LossTypes, WordAndObjectAreEqual) {
  for (const Json& loss :
       {Json("huber"), Json{{"type", "huber"}}, Json{{"type", "huber"}, {"delta", 1}}}) {
    const auto model = Read(loss);
    ASSERT_TRUE(model.ok()) << model.status();
    EXPECT_EQ(model->output().loss, LossConf(Huber())) << loss;
    EXPECT_EQ(ToJson(*model)["layers"][0]["loss"], "huber");
  }
}

TEST(LossTypes, ClassWeightsAreNumbersOrAWord) {
  const Json focal = {{"type", "focal"}, {"gamma", 2.0}, {"class_weights", "balanced"}};
  const auto model = Read(focal);
  ASSERT_TRUE(model.ok()) << model.status();
  LossConf loss = model->output().loss;
  EXPECT_EQ(loss, LossConf(Focal().BalancedClasses()));
  EXPECT_EQ(ToJson(loss), focal);
  EXPECT_TRUE(WantsBalancedClasses(loss));
  SetClassWeights({1, 0.5}, loss);
  EXPECT_FALSE(WantsBalancedClasses(loss));
  EXPECT_EQ(ToJson(loss)["class_weights"], Json({1.0, 0.5}));
  EXPECT_FALSE(WantsBalancedClasses(Huber()));
}

TEST(LossTypes, MistakesAreNamedByTheirPath) {
  struct Case {
    Json loss;
    const char* expected;
  };
  const Case cases[] = {
      {"hubr", "model.layers[0].loss.type: is \"hubr\", must be one of softmax_cross_entropy, "},
      {3, "model.layers[0].loss"},
      {Json::object(), "model.layers[0].loss.type: is missing"},
      {{{"type", "huber"}, {"dleta", 1}}, "loss.dleta: unknown key; did you mean \"delta\"?"},
      {{{"type", "mean_squared_error"}, {"delta", 1}}, "loss.delta: is a key of type \"huber\""},
      {{{"type", "huber"}, {"delta", "x"}}, "model.layers[0].loss.delta: must be a number"},
      {{{"type", "huber"}, {"delta", 0}}, "Huber's delta is 0"},
      {{{"type", "triplet"}, {"margin", -0.5}}, "the margin of triplets is -0.5"},
      {{{"type", "softmax_cross_entropy"}, {"label_smoothing", 1}}, "the label smoothing is 1"},
      {{{"type", "softmax_cross_entropy"}, {"label_smoothing", -0.1}}, "smoothing is -0.1"},
      {{{"type", "focal"}, {"class_weights", {1, -2}}}, "a class's weight is -2"},
      {{{"type", "focal"}, {"class_weights", 3}}, "loss.class_weights: must be a list of numbers"},
      {{{"type", "focal"}, {"class_weights", "balance"}},
       "loss.class_weights: must be a list of numbers or \"balanced\", is \"balance\""},
  };
  for (const Case& one : cases) {
    const auto model = Read(one.loss);
    ASSERT_FALSE(model.ok()) << one.loss;
    EXPECT_THAT(std::string(model.status().message()), HasSubstr(one.expected));
  }
}

TEST(LossTypes, RequirementsOfOutputLayer) {
  const auto mistakes_of = [](const Output& output) {
    Mistakes mistakes;
    output.Check(mistakes);
    return std::string(mistakes.ToStatus().message());
  };
  EXPECT_THAT(mistakes_of(Output(3).Loss(SoftmaxCrossEntropy()).Activation(Tanh())),
              HasSubstr("the activation is tanh, but softmax is part of the loss"));
  EXPECT_THAT(mistakes_of(Output(1).Loss(SoftmaxCrossEntropy().LabelSmoothing(0.1))),
              HasSubstr("over one class is always 0"));
  EXPECT_THAT(mistakes_of(Output(1).Loss(BinaryCrossEntropy()).Activation(Sigmoid())),
              HasSubstr("the activation is sigmoid, but the logistic function is part of the loss "
                        "binary_cross_entropy"));
  EXPECT_EQ(mistakes_of(Output(1).Loss(BinaryCrossEntropy())), "");
  EXPECT_EQ(mistakes_of(Output(3).Loss(BinaryCrossEntropy().PositiveWeights({2}))), "");
  EXPECT_EQ(mistakes_of(Output(3).Loss(BinaryCrossEntropy().PositiveWeights({2, 1, 3}))), "");
  EXPECT_THAT(mistakes_of(Output(3).Loss(BinaryCrossEntropy().PositiveWeights({2, 1}))),
              HasSubstr("positive_weights has 2 numbers, but the layer has 3 outputs"));
  EXPECT_THAT(mistakes_of(Output(3).Loss(KlDivergence()).Activation(Softmax())),
              HasSubstr("softmax is part of the loss kl_divergence"));
  EXPECT_THAT(mistakes_of(Output(1).Loss(KlDivergence())), HasSubstr("the same for every z"));
  EXPECT_THAT(mistakes_of(Output(2).Loss(Poisson()).Activation(Softplus())),
              HasSubstr("the exponential function is part of the loss poisson"));
  EXPECT_THAT(mistakes_of(Output(3).Loss(Focal()).Activation(Softmax())),
              HasSubstr("softmax is part of the loss focal"));
  EXPECT_THAT(mistakes_of(Output(1).Loss(Focal())), HasSubstr("focal over one class is always 0"));
  for (const LossConf& loss : {LossConf(Focal().ClassWeights({1, 2, 3})),
                               LossConf(SoftmaxCrossEntropy().ClassWeights({1, 2, 3}))}) {
    EXPECT_EQ(mistakes_of(Output(3).Loss(loss)), "");
    EXPECT_THAT(mistakes_of(Output(2).Loss(loss)),
                HasSubstr("there are 3 class weights for 2 classes"));
  }
  EXPECT_EQ(mistakes_of(Output(12).Loss(Triplet()).Activation(Tanh())), "");
  for (const int64_t units : {1, 4, 128}) {
    EXPECT_THAT(
        mistakes_of(Output(units).Loss(Triplet())),
        HasSubstr(absl::StrCat("gives ", units, " values, but triplet needs three embeddings")));
  }
  EXPECT_THAT(mistakes_of(Output(3).Loss(Ctc()).Activation(Softmax())),
              HasSubstr("softmax is part of the loss ctc"));
  EXPECT_THAT(mistakes_of(Output(1).Loss(Ctc())),
              HasSubstr("one for each class and one for the blank"));
  EXPECT_THAT(
      mistakes_of(Output(3).Loss(Ctc()).ComparedWithInput()),
      HasSubstr(
          "compared with the input, whose values are numbers, but ctc compares with classes"));
  EXPECT_THAT(mistakes_of(Output(3).Loss(Triplet()).ComparedWithInput()),
              HasSubstr("compared with the input, but triplet compares outputs with each other"));
  for (const LossConf& loss :
       {LossConf(MeanSquaredError()), LossConf(MeanAbsoluteError()), LossConf(Huber()),
        LossConf(Hinge()), LossConf(SquaredHinge()), LossConf(Cosine())}) {
    EXPECT_EQ(mistakes_of(Output(1).Loss(loss).Activation(Sigmoid())), "") << TagOf(loss);
  }
}

TEST(LossTypes, KindsOfLabels) {
  EXPECT_TRUE(PredictsClasses(SoftmaxCrossEntropy()));
  for (const LossConf& loss : {LossConf(BinaryCrossEntropy()), LossConf(MeanSquaredError()),
                               LossConf(MeanAbsoluteError()), LossConf(Huber())}) {
    EXPECT_FALSE(PredictsClasses(loss)) << TagOf(loss);
    EXPECT_EQ(LabelsOf(loss).AreBounded(), TagOf(loss) == "binary_cross_entropy");
  }
  EXPECT_TRUE(PredictsClasses(Focal()));
  EXPECT_FALSE(LabelsOf(Cosine()).AreBounded());
  EXPECT_EQ(LabelsOf(Poisson()).min, 0);
  EXPECT_EQ(LabelsOf(Poisson()).max, std::numeric_limits<double>::infinity());
  EXPECT_EQ(LabelsOf(KlDivergence()).min, 0);
  EXPECT_EQ(LabelsOf(KlDivergence()).max, 1);
  for (const LossConf& loss : {LossConf(Hinge()), LossConf(SquaredHinge())}) {
    EXPECT_EQ(LabelsOf(loss).min, -1);
    EXPECT_EQ(LabelsOf(loss).max, 1);
  }
  EXPECT_EQ(LabelsOf(BinaryCrossEntropy()).min, 0);
  EXPECT_EQ(LabelsOf(BinaryCrossEntropy()).max, 1);
  EXPECT_FALSE(PredictsClasses(Ctc()));
  for (const LossConf& loss : {LossConf(Ctc()), LossConf(Focal())}) EXPECT_TRUE(HasAccuracy(loss));
  for (const LossConf& loss : {LossConf(Triplet()), LossConf(Huber())})
    EXPECT_FALSE(HasAccuracy(loss));
  EXPECT_FALSE(PredictsClasses(Triplet()));
  EXPECT_FALSE(Output(3).Loss(Triplet()).IsComparedWithLabels());
  EXPECT_FALSE(Output(3).Loss(Huber()).ComparedWithInput().IsComparedWithLabels());
  EXPECT_TRUE(Output(3).Loss(Huber()).IsComparedWithLabels());
}

}  // namespace
}  // namespace dl::nn
