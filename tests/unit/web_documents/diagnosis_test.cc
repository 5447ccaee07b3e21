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

TEST(Diagnosis, RisingTestLossNamesTheBestRound) {
  Json test = Curve("test/loss", {});
  test["mean"] = {3, nullptr, 1, 1.2, 1.3, 1.5};
  const auto findings =
      FindingsOf({Curve("layer/a/drift", {1}), Curve("train/loss", kFalling), test});
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_THAT(findings[0],
              HasSubstr("warning: The test loss was lowest after round 3 and is 50 %"));
  EXPECT_THAT(findings[1], HasSubstr("good: The workers differ by 1 times"));
}

}  // namespace
}  // namespace dl::web
