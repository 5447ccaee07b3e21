#include <limits>

#include "bench/steps/step_comparison.h"
#include "gtest/gtest.h"

namespace dl::bench {
namespace {

TEST(LossDifference, IsLargestRelativeDifference) {
  EXPECT_DOUBLE_EQ(LossDifference({2, 4}, {2, 3}), 0.25);
  EXPECT_DOUBLE_EQ(LossDifference({2, 4}, {2, 4}), 0);
}

TEST(LossDifference, LossesOfZeroAreEqual) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(LossDifference({0, 4}, {0, 4}), 0);
  EXPECT_EQ(LossDifference({0}, {-0.0}), 0);
  EXPECT_DOUBLE_EQ(LossDifference({0, 4}, {0, 3}), 0.25);
  EXPECT_EQ(LossDifference({0}, {nan}), std::numeric_limits<double>::infinity());
}

TEST(LossDifference, NanAgreesWithNothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(LossDifference({nan}, {nan}), std::numeric_limits<double>::infinity());
}

TEST(RivalSide, LossesAgreeWithinTheirTolerance) {
  RivalSide side;
  side.largest_difference = 1e-4;
  side.loss_difference = 2e-4;
  EXPECT_FALSE(side.losses_agree());
  side.loss_difference = 0.9e-4;
  EXPECT_TRUE(side.losses_agree());
  side.loss_difference = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(side.losses_agree());
}

}  // namespace
}  // namespace dl::bench
