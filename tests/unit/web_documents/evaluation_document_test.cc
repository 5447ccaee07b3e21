#include "web/documents/evaluation_document.h"

#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/metrics/metric_sums.h"
#include "tests/support/status_matchers.h"

namespace dl::web {
namespace {

// Three classes: 8 of class 0 are right, 2 are taken for class 1, and 5 of class 1 are right.
Json RecordOfThreeClasses() {
  nn::MetricSums sums(3);
  const auto add = [&](int64_t label, int64_t predicted, int times) {
    for (int i = 0; i < times; ++i) {
      sums.AddLoss(0.5);
      sums.AddPrediction(label, predicted);
    }
  };
  add(0, 0, 8);
  add(0, 1, 2);
  add(1, 1, 5);
  return {{"type", "evaluation"}, {"round", 16}, {"test", sums.ToJson()}};
}

double MetricOf(const Json& document, const std::string& name) {
  for (const Json& metric : document["metrics"]) {
    if (metric["name"] == name) return metric["value"].get<double>();
  }
  return -1;
}

TEST(EvaluationDocument, ConfusionMatrixGivesClassesAndRows) {
  const auto document = EvaluationDocument(RecordOfThreeClasses(), {"cat", "dog"});
  DL_ASSERT_OK(document);
  EXPECT_EQ((*document)["round"], 16);
  EXPECT_EQ((*document)["examples"], 15);
  EXPECT_DOUBLE_EQ(MetricOf(*document, "Accuracy"), 13.0 / 15);
  EXPECT_DOUBLE_EQ(MetricOf(*document, "Loss"), 0.5);
  const Json& cat = (*document)["classes"][0];
  EXPECT_EQ(cat["name"], "cat");
  EXPECT_EQ(cat["support"], 10);
  EXPECT_EQ(cat["predicted"], 8);
  EXPECT_DOUBLE_EQ(cat["precision"].get<double>(), 1);
  EXPECT_DOUBLE_EQ(cat["recall"].get<double>(), 0.8);
  EXPECT_EQ(cat["true_positives"], 8);
  EXPECT_EQ(cat["false_positives"], 0);
  EXPECT_EQ(cat["false_negatives"], 2);
  EXPECT_EQ(cat["true_negatives"], 5);
  EXPECT_DOUBLE_EQ(cat["specificity"].get<double>(), 1);
  EXPECT_DOUBLE_EQ((*document)["classes"][1]["specificity"].get<double>(), 0.8) << "8 of 10";
  EXPECT_EQ((*document)["classes"][2]["name"], "2") << "a class without a name has its number";
  for (const char* figure : {"precision", "recall", "f1"})
    EXPECT_TRUE((*document)["classes"][2][figure].is_null()) << "no example has the class";
  EXPECT_DOUBLE_EQ((*document)["classes"][2]["specificity"].get<double>(), 1);
  const Json& cell = (*document)["rows"][0]["cells"][1];
  EXPECT_EQ(cell["examples"], 2);
  EXPECT_EQ(cell["shade"], 4) << "9 times the root of 0.2";
  EXPECT_EQ(cell["is_diagonal"], false);
  EXPECT_EQ(cell["of"], "cat");
  EXPECT_EQ(cell["as"], "dog");
}

TEST(EvaluationDocument, MistakesBeginWithTheMostFrequent) {
  nn::MetricSums sums(4);
  for (const auto& [label, predicted] : {std::pair(0, 1), {2, 3}, {2, 3}, {1, 1}, {1, 1}, {1, 1}}) {
    sums.AddLoss(1);
    sums.AddPrediction(label, predicted);
  }
  const auto document = EvaluationDocument({{"round", 1}, {"test", sums.ToJson()}}, {});
  DL_ASSERT_OK(document);
  const Json expected = {{{"of", "2"}, {"as", "3"}, {"examples", 2}},
                         {{"of", "0"}, {"as", "1"}, {"examples", 1}}};
  EXPECT_EQ((*document)["mistakes"], expected);
}

TEST(EvaluationDocument, LargeMatrixHasNoRows) {
  nn::MetricSums sums(kMaxMatrixClasses + 1);
  sums.AddLoss(1);
  sums.AddPrediction(0, 0);
  const auto document = EvaluationDocument({{"round", 1}, {"test", sums.ToJson()}}, {});
  DL_ASSERT_OK(document);
  EXPECT_FALSE(document->contains("rows"));
  EXPECT_EQ((*document)["classes"].size(), 41u);
}

TEST(EvaluationDocument, RegressionHasNumbersOnly) {
  nn::MetricSums sums;
  sums.EnableNumbers(1);
  for (const float target : {1.0f, 2.0f}) {
    const float prediction = target + 0.5f;
    sums.AddLoss(0.25);
    sums.AddNumbers({&prediction, 1}, {&target, 1});
  }
  const auto document = EvaluationDocument({{"round", 4}, {"test", sums.ToJson()}}, {});
  DL_ASSERT_OK(document);
  EXPECT_FALSE(document->contains("has_classes"));
  EXPECT_DOUBLE_EQ(MetricOf(*document, "Mean absolute error"), 0.5);
  EXPECT_EQ(MetricOf(*document, "Accuracy"), -1) << "numbers have no accuracy";
}

TEST(EvaluationDocument, OtherRecordIsRefused) {
  EXPECT_THAT(EvaluationDocument({{"type", "commit"}}, {}),
              test::IsError(absl::StatusCode::kInvalidArgument, "no evaluation"));
  EXPECT_THAT(EvaluationDocument({{"test", {{"examples", "x"}}}}, {}),
              test::IsError(absl::StatusCode::kInvalidArgument, "test"));
}

TEST(LastEvaluation, RolledBackEvaluationDoesNotCount) {
  const Json evaluation = {{"type", "evaluation"}, {"round", 8}};
  const Json commit = {{"type", "commit"}, {"round", 9}};
  EXPECT_EQ(LastEvaluation(Json::array({commit})), nullptr);
  const Json kept = Json::array({evaluation, commit, {{"type", "rollback"}, {"round", 8}}, commit});
  ASSERT_NE(LastEvaluation(kept), nullptr);
  EXPECT_EQ(*LastEvaluation(kept), evaluation);
  EXPECT_EQ(LastEvaluation(Json::array({evaluation, {{"type", "rollback"}, {"round", 7}}})),
            nullptr);
  const Json later = {{"type", "evaluation"}, {"round", 16}};
  const Json back = Json::array({evaluation, later, {{"type", "rollback"}, {"round", 8}}});
  ASSERT_NE(LastEvaluation(back), nullptr) << "the earlier evaluation still counts";
  EXPECT_EQ(*LastEvaluation(back), evaluation);
}

}  // namespace
}  // namespace dl::web
