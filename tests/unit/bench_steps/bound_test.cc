#include "bench/steps/bound.h"

#include <limits>

#include "bench/steps/step_comparison.h"
#include "gtest/gtest.h"

namespace dl::bench {
namespace {

TEST(Bound, AddsProductsUpdateAndFourPasses) {
  const nn::StepCost cost{.flops = 184e6, .update_bytes = 30e6, .activation_bytes = 5e6};
  const Bound bound = BoundOf(cost, {.peak = 100e9, .cache_bandwidth = 200e9}, 10e9);
  EXPECT_DOUBLE_EQ(bound.products, 2e-3);  // 0.92 of the peak
  EXPECT_DOUBLE_EQ(bound.update, 3e-3);
  EXPECT_DOUBLE_EQ(bound.activations, 1e-4);
  EXPECT_DOUBLE_EQ(bound.total(), 5.1e-3);
}

TEST(MachineSpeed, OfTwoThreadsIsPositive) {
  const MachineSpeed speed = MeasureMachine(nn::Isa::kAvx2, 2);
  EXPECT_GT(speed.peak, 1e9);
  EXPECT_GT(speed.memory_bandwidth, 1e8);
  EXPECT_GT(speed.cache_bandwidth, 1e8);
  EXPECT_GT(MeasureBandwidth(1e6, 2), 1e8);
}

TEST(LossDifference, IsLargestRelativeDifference) {
  EXPECT_DOUBLE_EQ(LossDifference({2, 4}, {2, 3}), 0.25);
  EXPECT_DOUBLE_EQ(LossDifference({2, 4}, {2, 4}), 0);
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
