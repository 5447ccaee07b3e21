#include "averaging/weights.h"

#include <gtest/gtest.h>

namespace dl::averaging {
namespace {

TEST(Weights, AreDividedByGreatestCommonDivisor) {
  const Weights expected = {.weight = {2, 0, 3, 2}, .sum = 7};
  EXPECT_EQ(*NormalizeWeights(std::vector<int64_t>{512, 0, 768, 512}), expected);
  EXPECT_EQ(NormalizeWeights(std::vector<int64_t>{int64_t{1} << 60})->sum, 1);
  EXPECT_EQ(NormalizeWeights(std::vector<int64_t>{7, 3})->sum, 10);
}

TEST(Weights, RefusesWhatIsNoRound) {
  EXPECT_FALSE(NormalizeWeights({}).ok());
  EXPECT_FALSE(NormalizeWeights(std::vector<int64_t>{0, 0}).ok());
  EXPECT_FALSE(NormalizeWeights(std::vector<int64_t>{4, -4}).ok());
  EXPECT_FALSE(NormalizeWeights(std::vector<int64_t>{INT64_MAX, INT64_MAX - 1}).ok());
  EXPECT_TRUE(NormalizeWeights(std::vector<int64_t>{kMaxWeightSum - 1, 1}).ok());
  EXPECT_FALSE(NormalizeWeights(std::vector<int64_t>{kMaxWeightSum, 1}).ok());
}

}  // namespace
}  // namespace dl::averaging
