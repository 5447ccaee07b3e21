#include "cli/prediction_lines.h"

#include <array>
#include <cmath>

#include "base/json.h"
#include "gtest/gtest.h"

namespace dl::cli {
namespace {

using Kind = PredictionForm::Kind;

constexpr std::array<float, 3> kOutputs = {0.2f, 0.7f, 0.1f};
const PredictionForm kClasses = {
    .class_names = {"a, b", "say \"x\"", "plain"}, .outputs = 3, .has_labels = true, .top_k = 2};

std::string Line(PredictionForm form, const Prediction& prediction, Kind kind = Kind::kCsv) {
  form.kind = kind;
  return PredictionLine(form, prediction);
}

TEST(PredictionLines, ClassesAreNamedAndQuoted) {
  const Prediction prediction{.example = 7, .outputs = kOutputs, .label = 2, .targets = {}};
  EXPECT_EQ(PredictionHeader(kClasses), "example,label,class,probability,class_2,probability_2\n");
  EXPECT_EQ(Line(kClasses, prediction), "7,plain,\"say \"\"x\"\"\",0.7,\"a, b\",0.2\n");
  EXPECT_EQ(Json::parse(Line(kClasses, prediction, Kind::kJsonLines)),
            Json::parse(R"({"example":7,"label":"plain","class":"say \"x\"","probability":0.7,)"
                        R"("top":[{"class":"say \"x\"","probability":0.7},)"
                        R"({"class":"a, b","probability":0.2}]})"));
}

TEST(PredictionLines, WithoutNamesLabelsAndMoreThanOneClass) {
  const PredictionForm form{.class_names = {}, .outputs = 3, .has_steps = true};
  const Prediction prediction{.example = 1, .step = 4, .outputs = kOutputs, .targets = {}};
  EXPECT_EQ(PredictionHeader(form), "example,step,class,probability\n");
  EXPECT_EQ(Line(form, prediction), "1,4,1,0.7\n");
  EXPECT_EQ(Line(form, prediction, Kind::kJsonLines),
            "{\"example\":1,\"step\":4,\"class\":\"1\",\"probability\":0.7}\n");
}

TEST(PredictionLines, ExamplesThatAreFiles) {
  const PredictionForm form{.class_names = {"a", "b"}, .outputs = 2, .has_files = true};
  const std::array<float, 2> outputs = {0.25f, 0.75f};
  const Prediction prediction{
      .example = 3, .file = "new/a,b.png", .outputs = outputs, .targets = {}};
  EXPECT_EQ(PredictionHeader(form), "example,file,class,probability\n");
  EXPECT_EQ(Line(form, prediction), "3,\"new/a,b.png\",b,0.75\n");
  EXPECT_EQ(Line(form, prediction, Kind::kJsonLines),
            "{\"example\":3,\"file\":\"new/a,b.png\",\"class\":\"b\",\"probability\":0.75}\n");
}

TEST(PredictionLines, MoreClassesThanThereAreAreAll) {
  PredictionForm form = kClasses;
  form.top_k = 50;
  form.class_names = {"a", "b", "c"};
  EXPECT_EQ(PredictionHeader(form),
            "example,label,class,probability,class_2,probability_2,class_3,probability_3\n");
  EXPECT_EQ(Line(form, {.outputs = kOutputs, .targets = {}}), "0,a,b,0.7,a,0.2,c,0.1\n");
}

TEST(PredictionLines, NumbersComeBackToTheBit) {
  const std::array<float, 2> outputs = {1.0f / 3, 1e-40f}, targets = {-2, 1e30f};
  const PredictionForm form{
      .classifies = false, .class_names = {}, .outputs = 2, .has_labels = true};
  const Prediction prediction{.example = 0, .outputs = outputs, .targets = targets};
  EXPECT_EQ(PredictionHeader(form), "example,target_1,target_2,output_1,output_2\n");
  EXPECT_EQ(Line(form, prediction), "0,-2,1e+30,0.33333334,1e-40\n");
  const Json json = Json::parse(Line(form, prediction, Kind::kJsonLines));
  for (size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_EQ(json["outputs"][i].get<float>(), outputs[i]);
    EXPECT_EQ(json["targets"][i].get<float>(), targets[i]);
  }
}

TEST(PredictionLines, WhatIsNoNumberIsNoJson) {
  const std::array<float, 3> outputs = {NAN, 0.25f, INFINITY};
  EXPECT_EQ(Line({.classifies = false, .class_names = {}, .outputs = 3},
                 {.outputs = outputs, .targets = {}}, Kind::kJsonLines),
            "{\"example\":0,\"outputs\":[null,0.25,null]}\n");
  EXPECT_EQ(PredictedClass(std::array<float, 3>{NAN, 0.25f, 0.5f}), 2);
  EXPECT_EQ(PredictedClass(std::array<float, 3>{0.25f, 0.5f, 0.5f}), 1);
}

}  // namespace
}  // namespace dl::cli
