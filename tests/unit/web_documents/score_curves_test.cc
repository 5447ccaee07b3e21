#include "web/documents/score_curves.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gtest/gtest.h"

namespace dl::web {
namespace {

Json ClassWithCurve(const std::string& name, double area) {
  return {{"class", name},
          {"roc_auc", area},
          {"average_precision", 0.5},
          {"curve",
           {{"threshold", {0.8, 0.4, 0.1}},
            {"recall", {0.5, 0.5, 1}},
            {"false_positive_rate", {0, 0.5, 1}},
            {"precision", {1, 0.5, 0.25}}}},
          {"at_threshold", {{{"threshold", 0.5}, {"recall", 0.5}, {"false_positive_rate", 0}}}}};
}

TEST(ScoreCurves, CurveLeadsThroughItsPoints) {
  const Json document = ScoreCurves({{"outputs", {ClassWithCurve("yes", 0.6)}}});
  EXPECT_EQ(document["is_single"], true);
  EXPECT_EQ(document["has_more"], false);
  const Json& curve = document["curves"][0];
  EXPECT_EQ(curve["name"], "yes");
  EXPECT_EQ(ScoreCurves({{"classes", {ClassWithCurve(" ", 0.6)}}})["curves"][0]["name"], "\" \"");
  EXPECT_EQ(curve["color"], 1);
  EXPECT_EQ(curve["roc"], "M60.0 250.0L60.0 130.0L200.0 130.0L340.0 10.0");
  // The second point adds no recall.
  EXPECT_EQ(curve["precision_recall"], "M60.0 10.0L200.0 10.0L200.0 190.0L340.0 190.0");
  const Json point = {
      {"name", "yes"}, {"threshold", 0.5}, {"recall", 0.5}, {"false_positive_rate", 0}};
  EXPECT_EQ(document["points"], Json::array({point}));
}

TEST(ScoreCurves, SmallestAreasHaveColors) {
  Json classes = Json::array();
  for (int c = 0; c < 10; ++c) classes.push_back(ClassWithCurve(absl::StrCat(c), 0.9 - 0.01 * c));
  classes.push_back({{"class", "no curve"}});
  const Json document = ScoreCurves({{"classes", classes}});
  EXPECT_EQ(document["has_more"], true);
  ASSERT_EQ(document["curves"].size(), 10u);
  EXPECT_FALSE(document["curves"][0].contains("color")) << "curves with a color are drawn last";
  EXPECT_EQ(document["curves"][9]["name"], "9");
  ASSERT_EQ(document["colored"].size(), 8u);
  EXPECT_EQ(document["colored"][0]["name"], "9");
  EXPECT_EQ(document["colored"][0]["color"], 1);
  EXPECT_EQ(document["colored"][7]["name"], "2");
  EXPECT_FALSE(document["colored"][0].contains("roc"));
}

TEST(ScoreCurves, LastOutputLayerWithCurvesIsShown) {
  const Json first = {{"classes", {ClassWithCurve("a", 0.6)}}},
             second = {{"classes", {ClassWithCurve("b", 0.6)}}}, none = {{"mse", 1}};
  const Json document = ScoreCurves({{"by_output", {first, second, none}}});
  EXPECT_EQ(document["curves"][0]["name"], "b");
}

TEST(ScoreCurves, AnswersHaveTheNamesOfTheirColumns) {
  Json outputs = Json::array();
  for (int o = 0; o < 3; ++o) {
    outputs.push_back(ClassWithCurve("", 0.5 + 0.1 * o));
    outputs.back().erase("class");
    outputs.back()["output"] = o;
  }
  const Json document = ScoreCurves({{"outputs", outputs}}, {"is_red", ""});
  EXPECT_EQ(document["are_answers"], true);
  EXPECT_EQ(document["are_classes"], false);
  EXPECT_EQ(document["colored"][0]["name"], "is_red");
  EXPECT_EQ(document["colored"][1]["name"], "output 1") << "a column without a name";
  EXPECT_EQ(document["colored"][2]["name"], "output 2");
  EXPECT_EQ(document["points"][0]["name"], "is_red");
}

TEST(ScoreCurves, ReportWithoutCurvesHasNoDocument) {
  EXPECT_EQ(ScoreCurves({{"loss", 1}, {"outputs", {{{"mse", 1}}}}}), Json::object());
  EXPECT_EQ(ScoreCurves({{"by_output", {{{"loss", 1}}}}}), Json::object());
}

}  // namespace
}  // namespace dl::web
