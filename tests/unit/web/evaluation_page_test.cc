// The pages of the evaluation and of the data of a job.
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/metrics/metric_sums.h"
#include "tests/unit/web/site_fixture.h"

namespace dl::web {
namespace {

using security::Role;
using testing::HasSubstr;
using testing::Not;

constexpr char kPayload[] = "<script>alert(1)</script>";

class EvaluationPageTest : public SiteTest {
 protected:
  EvaluationPageTest() { clients_.Set(rpc::QueryKind::kLog, "[]"); }
  void SetState(const std::string& state, const std::string& checkpoint = "null") {
    clients_.Set(rpc::QueryKind::kJob, absl::StrCat(R"({"job":"mlp-1","state":")", state,
                                                    R"(","checkpoint":)", checkpoint, "}"));
  }
  std::string PageAt(const std::string& target) {
    Open({});  // without recent answers
    const HttpResponse response = Send(MakeAs(Role::kRead, "GET", target));
    EXPECT_EQ(response.status, 200) << response.body;
    return response.body;
  }
  // An answer of an evaluation with a curve and a mistake whose names are a payload.
  static Json Answer() {
    return {{"checkpoint", "mlp-1@8"},
            {"round", 8},
            {"examples", 12000},
            {"examined", 10000},
            {"measure", "log_loss"},
            {"wrong", 7},
            {"columns", {kPayload}},
            {"figures",
             {{"classes",
               {{{"name", kPayload},
                 {"roc_auc", 0.875},
                 {"average_precision", 0.75},
                 {"curve",
                  {{"threshold", {0.5, 0.25}},
                   {"recall", {0.5, 1}},
                   {"false_positive_rate", {0, 1}},
                   {"precision", {1, 0.5}}}},
                 {"at_threshold",
                  {{{"threshold", 0.9}, {"recall", 0}, {"false_positive_rate", 0}}}}}}}}},
            {"mistakes",
             {{{"id", 41},
               {"index", 5},
               {"label", kPayload},
               {"predicted", kPayload},
               {"probability", 0.97},
               {"loss", 3.5},
               {"values", {{kPayload, kPayload}}}}}}};
  }
};

TEST_F(EvaluationPageTest, JobWithoutEvaluationShowsReason) {
  SetState("SUCCEEDED", R"({"round":8})");
  const std::string page = PageAt("/jobs/mlp-1/evaluation");
  EXPECT_THAT(page, HasSubstr("The job has no test set"));
  EXPECT_THAT(page, HasSubstr("--test-fraction"));
  EXPECT_THAT(page, Not(HasSubstr("of the test set, after round"))) << "figures without a number";
  EXPECT_THAT(page, HasSubstr("dl-submit evaluate mlp-1 --data FILE")) << "no checkpoint is best";
  clients_.Set(rpc::QueryKind::kTestManifest, "{}");
  EXPECT_THAT(PageAt("/jobs/mlp-1/evaluation"), HasSubstr("ended before its first evaluation"));
  SetState("RUNNING");
  clients_.Set(rpc::QueryKind::kSpec, R"({"training":{"evaluation":{"every_epoch":true}}})");
  EXPECT_THAT(PageAt("/jobs/mlp-1/evaluation"), HasSubstr("at the end of each epoch"));
  clients_.Set(rpc::QueryKind::kSpec, R"({"training":{"evaluation":{"every_epoch":false}}})");
  EXPECT_THAT(PageAt("/jobs/mlp-1/evaluation"), HasSubstr("when its training ends"));
}

TEST_F(EvaluationPageTest, EvaluationOfACheckpointIsALinkUntilItIsWanted) {
  clients_.Set(rpc::QueryKind::kTestManifest, "{}");
  SetState("SUCCEEDED", R"({"round":8})");
  EXPECT_THAT(PageAt("/jobs/mlp-1/evaluation"),
              HasSubstr("href=\"/jobs/mlp-1/evaluation/checkpoint\""));
  SetState("SUCCEEDED");
  EXPECT_THAT(PageAt("/jobs/mlp-1/evaluation"), Not(HasSubstr("evaluation/checkpoint")))
      << "there is no checkpoint";
}

TEST_F(EvaluationPageTest, EvaluatedCheckpointShowsCurvesAndMistakes) {
  clients_.Set(rpc::QueryKind::kTestManifest, "{}");
  SetState("SUCCEEDED", R"({"round":8})");
  models_.evaluation = JsonText(Answer());
  const std::string page = PageAt("/jobs/mlp-1/evaluation/checkpoint");
  EXPECT_THAT(page, HasSubstr("the first 10,000 of 12,000 examples"));
  EXPECT_THAT(page, HasSubstr("d=\"M60.0 250.0L60.0 130.0L340.0 10.0\""));
  EXPECT_THAT(page, HasSubstr("0.875"));
  EXPECT_THAT(page, HasSubstr("<td class=\"figure nowrap\">none</td>"))
      << "a precision without value";
  EXPECT_THAT(page, HasSubstr("(97.0 %)"));
  EXPECT_THAT(page, HasSubstr("7 of which are predicted wrongly"));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(page, Not(HasSubstr(kPayload)));
  Json answer = Answer();
  answer["mistakes"][0].erase("values");
  answer["mistakes"][0]["has_image"] = true;
  models_.evaluation = JsonText(answer);
  EXPECT_THAT(PageAt("/jobs/mlp-1/evaluation/checkpoint"),
              HasSubstr("<img src=\"/jobs/mlp-1/data/pictures/5?set=test\""));
}

TEST_F(EvaluationPageTest, SeveralAnswersHaveTheNamesOfTheirColumns) {
  clients_.Set(rpc::QueryKind::kTestManifest, "{}");
  clients_.Set(rpc::QueryKind::kTrainManifest,
               R"({"schema":{"label_kind":"target","label_columns":["is_red","is_big"]}})");
  SetState("SUCCEEDED", R"({"round":8})");
  Json answer = Answer();
  const Json curve = answer["figures"]["classes"][0];
  answer["figures"] = {{"exact_match", 0.5}, {"micro_f1", 0.625}, {"outputs", {curve, curve}}};
  for (int o = 0; o < 2; ++o) answer["figures"]["outputs"][o]["output"] = o;
  Json& mistake = answer["mistakes"][0];
  for (const char* member : {"predicted", "probability"}) mistake.erase(member);
  mistake.update({{"wrong", 1}, {"labels", 2}, {"probabilities", {0.97, 0.25}}});
  models_.evaluation = JsonText(answer);
  const std::string page = PageAt("/jobs/mlp-1/evaluation/checkpoint");
  EXPECT_THAT(page, HasSubstr("<dt>Exact match</dt><dd>50.0 %</dd>"));
  EXPECT_THAT(page, HasSubstr(">is_red</th>"));
  EXPECT_THAT(page, HasSubstr("is_red 97.0 %, is_big 25.0 %"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"col\">Answer</th>"));
  EXPECT_THAT(page, Not(HasSubstr("against all others")));
}

TEST_F(EvaluationPageTest, RefusedEvaluationIsASentence) {
  SetState("SUCCEEDED", R"({"round":8})");
  clients_.Set(rpc::QueryKind::kTestManifest, "{}");
  models_.refusal = MakeError(absl::StatusCode::kUnimplemented,
                              {.message = "this master makes no predictions (--no-predictions)",
                               .remedy = "Use dl-submit evaluate mlp-1@last"});
  const std::string page = PageAt("/jobs/mlp-1/evaluation/checkpoint");
  EXPECT_THAT(page, HasSubstr("this master makes no predictions (--no-predictions)"));
  EXPECT_THAT(page, HasSubstr("dl-submit evaluate mlp-1@last"));
}

TEST_F(EvaluationPageTest, DataShowsItsExamplesByPage) {
  clients_.Set(rpc::QueryKind::kTrainManifest,
               R"({"examples":40,"schema":{"feature_shape":[1],"label_kind":"class"}})");
  models_.samples = JsonText(
      {{"set", "train"},
       {"first", 16},
       {"examples", 40},
       {"columns", {kPayload}},
       {"samples",
        {{{"id", 31}, {"index", 16}, {"label", kPayload}, {"values", {{kPayload, nullptr}}}}}}});
  const std::string page = PageAt("/jobs/mlp-1/data?set=train&first=16");
  EXPECT_THAT(page, HasSubstr("Examples 17 to 17 of 40"));
  EXPECT_THAT(page, HasSubstr("/jobs/mlp-1/data?set=train&amp;first=0#"));
  EXPECT_THAT(page, HasSubstr("/jobs/mlp-1/data?set=train&amp;first=17#"));
  EXPECT_THAT(page, HasSubstr(">missing</td>"));
  EXPECT_THAT(page, Not(HasSubstr(kPayload)));
  EXPECT_THAT(page, HasSubstr("The job has no test set"));
  models_.refusal = DataLoss({.message = "the block is damaged"});
  EXPECT_THAT(PageAt("/jobs/mlp-1/data"), HasSubstr("cannot be shown: the block is damaged"));
  models_.refusal = InvalidArgument({.message = "there is no example 99", .where = "first"});
  Open({});
  EXPECT_EQ(Send(MakeAs(Role::kRead, "GET", "/jobs/mlp-1/data?first=99")).status, 400);
}

}  // namespace
}  // namespace dl::web
