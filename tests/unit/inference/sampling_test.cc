#include "inference/sampling.h"

#include <cmath>
#include <map>
#include <vector>

#include "gtest/gtest.h"

namespace dl::inference {
namespace {

const std::vector<float> kProbabilities = {0.1f, 0.4f, 0.0f, 0.3f, 0.2f};

// Returns the share of [0, 1) that leads to each token.
std::map<int64_t, double> Shares(const Sampling& sampling,
                                 const std::vector<float>& probabilities = kProbabilities) {
  constexpr int kDraws = 10000;
  std::map<int64_t, double> shares;
  for (int i = 0; i < kDraws; ++i)
    shares[ChooseToken(probabilities, sampling, (i + 0.5) / kDraws)] += 1.0 / kDraws;
  return shares;
}

void ExpectShares(const std::map<int64_t, double>& shares,
                  const std::map<int64_t, double>& expected) {
  EXPECT_EQ(shares.size(), expected.size());
  for (const auto& [token, share] : expected) {
    const auto found = shares.find(token);
    ASSERT_NE(found, shares.end()) << token;
    EXPECT_NEAR(found->second, share, 2e-4) << token;
  }
}

TEST(Sampling, FrequenciesMatchProbabilities) {
  ExpectShares(Shares({}), {{0, 0.1}, {1, 0.4}, {3, 0.3}, {4, 0.2}});
}

TEST(Sampling, TemperatureIsPowerOfProbabilities) {
  for (const double temperature : {0.5, 2.0, 100.0}) {
    std::map<int64_t, double> expected;
    double sum = 0;
    for (const float p : kProbabilities) sum += std::pow(p, 1 / temperature);
    for (size_t i = 0; i < kProbabilities.size(); ++i) {
      if (kProbabilities[i] > 0) expected[i] = std::pow(kProbabilities[i], 1 / temperature) / sum;
    }
    ExpectShares(Shares({.temperature = temperature}), expected);
  }
  ExpectShares(Shares({.temperature = 1e-6}), {{1, 1}});
}

TEST(Sampling, ZeroIsTheFirstOfTheMostProbable) {
  ExpectShares(Shares({.temperature = 0}), {{1, 1}});
  ExpectShares(Shares({.temperature = 0}, {0.1f, 0.45f, 0.45f}), {{1, 1}});
}

TEST(Sampling, OnlyTheMostProbableAreDrawnFrom) {
  ExpectShares(Shares({.top_k = 2}), {{1, 4.0 / 7}, {3, 3.0 / 7}});
  ExpectShares(Shares({.top_k = 1}), {{1, 1}});
  ExpectShares(Shares({.top_k = 50}), {{0, 0.1}, {1, 0.4}, {3, 0.3}, {4, 0.2}});
  ExpectShares(Shares({.top_k = 2}, {0.25f, 0.25f, 0.25f, 0.25f}), {{0, 0.5}, {1, 0.5}});
}

TEST(Sampling, EndsOfIntervalAreValidTokens) {
  const std::vector<float> probabilities = {0, 0.5f, 0.5f, 0};
  EXPECT_EQ(ChooseToken(probabilities, {}, 0), 1);
  EXPECT_EQ(ChooseToken(probabilities, {}, std::nextafter(1.0, 0.0)), 2);
  EXPECT_EQ(ChooseToken(probabilities, {.temperature = 0.01}, 0), 1);
}

}  // namespace
}  // namespace dl::inference
