#include "web/documents/diagnosis.h"

#include <string>
#include <vector>

#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dl::web {
namespace {

using ::testing::HasSubstr;

Json Curve(const char* name, const std::vector<double>& values) {
  return {{"name", name}, {"first", 1}, {"step", 1}, {"mean", values}};
}

const std::vector<double> kFalling = {8, 4, 2, 1, 0.5, 0.5, 0.5, 0.5};

// Returns the findings as "severity: sentence".
std::vector<std::string> FindingsOf(const std::vector<Json>& curves, DiagnosedJob job = {}) {
  std::vector<std::string> texts;
  job.averaging_frequency = 64;
  const Json diagnosis = Diagnosis({{"curves", curves}}, job);
  for (const Json& finding : diagnosis["findings"]) {
    texts.push_back(finding["severity"].get<std::string>() + ": " +
                    finding["sentence"].get<std::string>());
  }
  return texts;
}

TEST(Diagnosis, GoodCurvesHaveNoFinding) {
  EXPECT_EQ(FindingsOf({Curve("train/loss", kFalling)}).size(), 0u);
}

TEST(Diagnosis, FewRoundsAreNotJudged) {
  EXPECT_EQ(FindingsOf({Curve("train/loss", {1, 2, 3}), Curve("layer/a/drift", {9})}).size(), 0u);
}

TEST(Diagnosis, LossThatDoesNotFallIsAProblem) {
  const auto findings = FindingsOf({Curve("train/loss", {1, 1, 1, 1, 1, 1, 2, 2})});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0], HasSubstr("problem: The training loss does not fall: 1 in"));
}

TEST(Diagnosis, LossThatFallsAtTheEndIsNoted) {
  const auto findings =
      FindingsOf({Curve("train/loss", {8, 7, 6, 5, 4, 3, 2, 1})}, {.state = "SUCCEEDED"});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0], HasSubstr("note: The training loss still falls"));
}

TEST(Diagnosis, LargeDriftNamesTheLayerAndASmallerFrequency) {
  const auto findings =
      FindingsOf({Curve("train/loss", kFalling), Curve("layer/conv1/drift", {1, 1}),
                  Curve("layer/conv2/drift", {3, 3, 3})});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0], HasSubstr("warning: The workers differ by 3 times"));
  EXPECT_THAT(findings[0], HasSubstr("most in conv2"));
  EXPECT_THAT(findings[0], HasSubstr("64 is probably too large; try 16"));
}

TEST(Diagnosis, LayerThatChangesTooMuchIsNamed) {
  const auto findings =
      FindingsOf({Curve("train/loss", kFalling), Curve("layer/conv2/size", {0.1, 0.1}),
                  Curve("layer/conv2/change", {0.004, 0.004})});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0],
            "warning: conv2 changes by 0.04 of its size per round. The healthy band is 0.0003 to "
            "0.003. The learning rate is probably too high.");
}

TEST(Diagnosis, FurtherLayersAreCounted) {
  std::vector<Json> curves = {Curve("train/loss", kFalling)};
  for (int i = 1; i <= 5; ++i) {
    const std::string layer = "layer/dense" + std::to_string(i);
    curves.push_back(Curve((layer + "/size").c_str(), {1}));
    curves.push_back(Curve((layer + "/change").c_str(), {0.1 * i}));
  }
  const auto findings = FindingsOf(curves);
  ASSERT_EQ(findings.size(), 4u);
  EXPECT_THAT(findings[0], HasSubstr("dense5"));
  EXPECT_EQ(findings[3], "warning: 2 more layers are like this.");
}

TEST(Diagnosis, HealthyAndFrozenLayersHaveNoFinding) {
  EXPECT_EQ(FindingsOf({Curve("train/loss", kFalling), Curve("layer/a/size", {1}),
                        Curve("layer/a/change", {0.001}), Curve("layer/b/size", {1}),
                        Curve("layer/b/change", {0})})
                .size(),
            0u);
}

TEST(Diagnosis, WaitForDataIsAShareOfTheTime) {
  const auto findings = FindingsOf(
      {Curve("train/loss", kFalling), Curve("unit_seconds/total", {10, 10}),
       Curve("unit_seconds/data_wait", {6.2, 6.2}), Curve("unit_seconds/state_wait", {1, 1})});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0], HasSubstr("warning: Units wait 62 % of their time for data."));
}

TEST(Diagnosis, RisingTestLossNamesTheBestRound) {
  Json test = Curve("test/loss", {});
  test["mean"] = {3, nullptr, 1, 1.2, 1.3, 1.5};
  const auto findings =
      FindingsOf({Curve("layer/a/drift", {1}), Curve("train/loss", kFalling), test});
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_THAT(findings[0],
              HasSubstr("warning: The test loss was lowest near round 3 and is about 50 %"));
  EXPECT_THAT(findings[1], HasSubstr("good: The workers differ by 1 times"));
}

// ---- Findings that appear together must not contradict each other ----

const std::vector<double> kStillFalling = {8, 7, 6, 5, 4, 3, 2, 1};

// Returns the curves of a layer that changes by `share` of its size.
std::vector<Json> LayerThatChanges(double share) {
  return {Curve("layer/a/size", {1}), Curve("layer/a/change", {share})};
}
std::vector<Json> With(std::vector<Json> curves, const std::vector<Json>& more) {
  curves.insert(curves.end(), more.begin(), more.end());
  return curves;
}

TEST(Diagnosis, LossThatDivergesAdvisesOnlyASmallerLearningRate) {
  const auto findings =
      FindingsOf(With({Curve("train/loss", {0.9, 1e18, 1e17, 1e15, 1e9, 1e4, 800, 120}),
                       Curve("test/loss", {1, 5, 6, 7, 8})},
                      LayerThatChanges(1e-9)),
                 {.state = "SUCCEEDED"});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0],
            "problem: The training loss has diverged: 0.9 at first, then up to 1e+18. Try a "
            "smaller learning rate or gradient clipping.");
}

TEST(Diagnosis, NumberThatIsNotFiniteIsAFindingBeforeTheEighthRound) {
  for (const std::vector<double>& losses :
       {std::vector<double>{}, {3}, {3, 3, 3, 3, 3, 3, 3, 3, 2}}) {
    const auto findings = FindingsOf(With({Curve("train/loss", losses)}, LayerThatChanges(1e-9)),
                                     {.state = "FAILED", .reason = "not_finite"});
    ASSERT_EQ(findings.size(), 1u) << losses.size();
    EXPECT_THAT(findings[0], HasSubstr("problem: A loss or a parameter was not a finite number"));
  }
}

TEST(Diagnosis, ConvergedLayersMayChangeLittle) {
  EXPECT_EQ(FindingsOf(With({Curve("train/loss", {2, 1, 0.1, 0.01, 1e-3, 1e-4, 3e-5, 2.99e-5})},
                            LayerThatChanges(1e-9)))
                .size(),
            0u);
}

TEST(Diagnosis, LayersThatHardlyChangeAreNamedWhileTheLossIsLarge) {
  const auto findings = FindingsOf(With({Curve("train/loss", kFalling)}, LayerThatChanges(1e-9)));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0], HasSubstr("note: a changes by 1e-09 of its size per round."));
}

TEST(Diagnosis, LayersThatChangeTooMuchHideThoseThatHardlyChange) {
  std::vector<Json> curves = {Curve("train/loss", kFalling), Curve("layer/b/size", {1}),
                              Curve("layer/b/change", {0.5})};
  const auto findings = FindingsOf(With(std::move(curves), LayerThatChanges(1e-9)));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0], HasSubstr("warning: b changes by 0.5"));
}

TEST(Diagnosis, JobThatOverfitsNeedsNeitherMoreEpochsNorALargerLearningRate) {
  const auto findings =
      FindingsOf(With({Curve("train/loss", kStillFalling), Curve("test/loss", {1, 2, 3, 4, 5})},
                      LayerThatChanges(1e-9)),
                 {.state = "SUCCEEDED"});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0], HasSubstr("The job overfits"));
}

TEST(Diagnosis, MoreEpochsAreOnlyAdvisedToJobsThatMadeAllOfTheirs) {
  const std::vector<Json> curves = {Curve("train/loss", kStillFalling)};
  EXPECT_EQ(FindingsOf(curves, {.state = "RUNNING"}).size(), 0u);
  EXPECT_EQ(FindingsOf(curves, {.state = "CANCELLED", .reason = "by_user"}).size(), 0u);
  EXPECT_EQ(FindingsOf(curves, {.state = "SUCCEEDED", .reason = "early_stopping"}).size(), 0u);
  EXPECT_EQ(FindingsOf(curves, {.state = "SUCCEEDED", .reason = "all_epochs_done"}).size(), 1u);
}

TEST(Diagnosis, LossThatDoesNotFallIsNoOverfitting) {
  const auto findings =
      FindingsOf({Curve("train/loss", {1, 1, 1, 1, 2, 2, 2, 2}), Curve("test/loss", {1, 2, 3, 4})});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0], HasSubstr("Try another learning rate"));
}

// ---- Executors ----

ExecutorTimes TimesOf(const char* name, double data_wait, double relative = 1) {
  return {.executor = name, .units = 20, .data_wait = data_wait, .relative = relative};
}

TEST(Diagnosis, ExecutorThatWaitsForDataIsNamed) {
  const auto findings = FindingsOf(
      {Curve("train/loss", kFalling), Curve("unit_seconds/total", {10}),
       Curve("unit_seconds/data_wait", {1})},
      {.executors = {TimesOf("node1", 0.01), TimesOf("node7", 0.62), TimesOf("node8", 0.24)}});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0], HasSubstr("warning: Executor node7 waits 62 % of its time for data."));
}

TEST(Diagnosis, ExecutorsThatWaitLikeAllOthersAreNotNamed) {
  const auto findings =
      FindingsOf({Curve("train/loss", kFalling), Curve("unit_seconds/total", {10}),
                  Curve("unit_seconds/data_wait", {6})},
                 {.executors = {TimesOf("node1", 0.6), TimesOf("node2", 0.7)}});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0], HasSubstr("warning: Units wait 60 %"));
}

TEST(Diagnosis, SlowExecutorIsNamedIfItHasEnoughUnits) {
  std::vector<ExecutorTimes> executors = {TimesOf("node1", 0), TimesOf("node2", 0, 1.7),
                                          TimesOf("node3", 0, 9)};
  executors[2].units = 7;
  const auto findings = FindingsOf({Curve("train/loss", kFalling)}, {.executors = executors});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0],
            "note: Executor node2 takes 1.7 times as long for a unit as the others. Its machine "
            "may be slower, or other programs use its cores.");
}

}  // namespace
}  // namespace dl::web
