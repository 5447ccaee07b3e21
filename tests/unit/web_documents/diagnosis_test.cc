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
std::vector<std::string> FindingsOf(const std::vector<Json>& curves) {
  std::vector<std::string> texts;
  const Json diagnosis = Diagnosis({{"curves", curves}}, 64);
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
  const auto findings = FindingsOf({Curve("train/loss", {8, 7, 6, 5, 4, 3, 2, 1})});
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

}  // namespace
}  // namespace dl::web
