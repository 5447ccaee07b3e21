#include "inference/prediction_lines.h"

#include <array>
#include <cmath>

#include "base/json.h"
#include "gtest/gtest.h"

namespace dl::inference {
namespace {

using Kind = PredictionForm::Kind;

constexpr std::array<float, 3> kOutputs = {0.2f, 0.7f, 0.1f};
const PredictionForm kClassForm = {
    .outputs = {{.class_names = {"a, b", "say \"x\"", "plain"}, .units = 3, .has_labels = true}},
    .top_k = 2};

std::string Line(PredictionForm form, const Prediction& prediction, Kind kind = Kind::kCsv) {
  form.kind = kind;
  return PredictionLine(form, prediction);
}

TEST(PredictionLines, ClassesAreNamedAndQuoted) {
  const Prediction prediction{.example = 7, .answers = {{.values = kOutputs, .label = 2}}};
  EXPECT_EQ(PredictionHeader(kClassForm),
            "example,label,class,probability,class_2,probability_2\n");
  EXPECT_EQ(Line(kClassForm, prediction), "7,plain,\"say \"\"x\"\"\",0.7,\"a, b\",0.2\n");
  EXPECT_EQ(Json::parse(Line(kClassForm, prediction, Kind::kJsonLines)),
            Json::parse(R"({"example":7,"label":"plain","class":"say \"x\"","class_number":1,)"
                        R"("probability":0.7,"top":[)"
                        R"({"class":"say \"x\"","class_number":1,"probability":0.7},)"
                        R"({"class":"a, b","class_number":0,"probability":0.2}]})"));
}

TEST(PredictionLines, MinimalLineHasClassAndProbability) {
  const PredictionForm form{.outputs = {{.units = 3}}, .has_steps = true};
  const Prediction prediction{.example = 1, .step = 4, .answers = {{.values = kOutputs}}};
  EXPECT_EQ(PredictionHeader(form), "example,step,class,probability\n");
  EXPECT_EQ(Line(form, prediction), "1,4,1,0.7\n");
  EXPECT_EQ(Line(form, prediction, Kind::kJsonLines),
            "{\"example\":1,\"step\":4,\"class\":\"1\",\"class_number\":1,\"probability\":0.7}\n");
}

TEST(PredictionLines, ShowsSequencesOfClasses) {
  PredictionForm form{.outputs = {{.classifies = false,
                                   .transcribes = true,
                                   .class_names = {"a", "b,c"},
                                   .units = 3,
                                   .has_labels = true}}};
  const std::vector<int32_t> labels = {0, 1, 1};
  const Prediction prediction{.example = 2, .answers = {{.classes = {1, 0}, .labels = labels}}};
  EXPECT_EQ(PredictionHeader(form), "example,labels,classes\n");
  EXPECT_EQ(Line(form, prediction), "2,\"a b,c b,c\",\"b,c a\"\n");
  EXPECT_EQ(Line(form, prediction, Kind::kJsonLines),
            "{\"example\":2,\"labels\":[\"a\",\"b,c\",\"b,c\"],\"classes\":[\"b,c\",\"a\"]}\n");
  form.outputs[0].has_labels = false;
  form.outputs[0].class_names.clear();
  const Prediction nothing{.example = 3, .answers = {{}}};
  EXPECT_EQ(PredictionHeader(form), "example,classes\n");
  EXPECT_EQ(Line(form, nothing), "3,\n");
  EXPECT_EQ(Line(form, nothing, Kind::kJsonLines), "{\"example\":3,\"classes\":[]}\n");
}

TEST(PredictionLines, ShowsFilesOfExamples) {
  const PredictionForm form{.outputs = {{.class_names = {"a", "b"}, .units = 2}},
                            .has_files = true};
  const std::array<float, 2> outputs = {0.25f, 0.75f};
  const Prediction prediction{
      .example = 3, .file = "new/a,b.png", .answers = {{.values = outputs}}};
  EXPECT_EQ(PredictionHeader(form), "example,file,class,probability\n");
  EXPECT_EQ(Line(form, prediction), "3,\"new/a,b.png\",b,0.75\n");
  EXPECT_EQ(Line(form, prediction, Kind::kJsonLines),
            "{\"example\":3,\"file\":\"new/"
            "a,b.png\",\"class\":\"b\",\"class_number\":1,\"probability\":0.75}\n");
}

TEST(PredictionLines, TopKIsLimitedToAllClasses) {
  PredictionForm form = kClassForm;
  form.top_k = 50;
  form.outputs[0].class_names = {"a", "b", "c"};
  EXPECT_EQ(PredictionHeader(form),
            "example,label,class,probability,class_2,probability_2,class_3,probability_3\n");
  EXPECT_EQ(Line(form, {.answers = {{.values = kOutputs}}}), "0,a,b,0.7,a,0.2,c,0.1\n");
}

TEST(PredictionLines, NumbersRoundTripExactly) {
  const std::array<float, 2> outputs = {1.0f / 3, 1e-40f}, targets = {-2, 1e30f};
  const PredictionForm form{.outputs = {{.classifies = false, .units = 2, .has_labels = true}}};
  const Prediction prediction{.example = 0, .answers = {{.values = outputs, .targets = targets}}};
  EXPECT_EQ(PredictionHeader(form), "example,target_1,target_2,output_1,output_2\n");
  EXPECT_EQ(Line(form, prediction), "0,-2,1e+30,0.33333334,1e-40\n");
  const Json json = Json::parse(Line(form, prediction, Kind::kJsonLines));
  for (size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_EQ(json["outputs"][i].get<float>(), outputs[i]);
    EXPECT_EQ(json["targets"][i].get<float>(), targets[i]);
  }
}

TEST(PredictionLines, NonFiniteNumberIsNullInJson) {
  const std::array<float, 3> outputs = {NAN, 0.25f, INFINITY};
  EXPECT_EQ(Line({.outputs = {{.classifies = false, .units = 3}}},
                 {.answers = {{.values = outputs}}}, Kind::kJsonLines),
            "{\"example\":0,\"outputs\":[null,0.25,null]}\n");
  EXPECT_EQ(PredictedClass(std::array<float, 3>{NAN, 0.25f, 0.5f}), 2);
  EXPECT_EQ(PredictedClass(std::array<float, 3>{0.25f, 0.5f, 0.5f}), 1);
}

TEST(PredictionLines, OutputsAreNamed) {
  const std::array<float, 2> place = {0.5f, -1}, right = {1, 2};
  const PredictionForm form{
      .outputs = {{.name = "kind", .class_names = {"a", "b", "c"}, .units = 3, .has_labels = true},
                  {.name = "place", .classifies = false, .units = 2, .has_labels = true},
                  {.name = "hue", .units = 3}}};
  Prediction prediction{.example = 4,
                        .answers = {{.values = kOutputs, .label = 0},
                                    {.values = place, .targets = right},
                                    {.values = kOutputs}}};
  EXPECT_EQ(PredictionHeader(form),
            "example,kind.label,kind.class,kind.probability,place.target_1,place.target_2,"
            "place.output_1,place.output_2,hue.class,hue.probability\n");
  EXPECT_EQ(Line(form, prediction), "4,a,b,0.7,1,2,0.5,-1,1,0.7\n");
  EXPECT_EQ(
      Line(form, prediction, Kind::kJsonLines),
      "{\"example\":4,\"by_output\":{\"kind\":{\"label\":\"a\",\"class\":\"b\","
      "\"class_number\":1,\"probability\":0.7},\"place\":{\"targets\":[1,2],\"outputs\":[0.5,-1]},"
      "\"hue\":{\"class\":\"1\",\"class_number\":1,\"probability\":0.7}}}\n");
  prediction.answers[0].label = -1;  // the example lacks this label
  EXPECT_EQ(Line(form, prediction), "4,,b,0.7,1,2,0.5,-1,1,0.7\n");
  EXPECT_EQ(Json::parse(Line(form, prediction, Kind::kJsonLines))["by_output"]["kind"]["label"],
            nullptr);
}

// An output is named if the model has others, which have no prediction for each row.
TEST(PredictionLines, OneNamedOutputIsNamedLikeSeveral) {
  const PredictionForm form{.outputs = {{.name = "kind", .units = 3}}};
  EXPECT_EQ(PredictionHeader(form), "example,kind.class,kind.probability\n");
  EXPECT_EQ(Line(form, {.answers = {{.values = kOutputs}}}, Kind::kJsonLines),
            "{\"example\":0,\"by_output\":{\"kind\":{\"class\":\"1\",\"class_number\":1,"
            "\"probability\":0.7}}}\n");
}

TEST(PredictionLines, OriginsAreAddedInFloat64) {
  const PredictionForm form{.outputs = {{.classifies = false, .units = 2, .has_labels = true}}};
  const std::array<float, 2> outputs = {2.5f, 0.1f}, targets = {3, 0.2f};
  const std::array<double, 2> origins = {1.6e9, 0};
  const Prediction prediction{
      .example = 0, .answers = {{.values = outputs, .targets = targets, .origins = origins}}};
  EXPECT_EQ(Line(form, prediction), "0,1600000003,0.2,1600000002.5,0.1\n");
  EXPECT_EQ(Line(form, prediction, Kind::kJsonLines),
            "{\"example\":0,\"targets\":[1600000003,0.2],\"outputs\":[1600000002.5,0.1]}\n");
}

}  // namespace
}  // namespace dl::inference
