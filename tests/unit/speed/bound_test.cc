#include "speed/bound.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace dl::speed {
namespace {

TEST(Bound, AddsProductsUpdateAndFourPasses) {
  const nn::StepCost cost{.flops = 184e6, .update_bytes = 30e6, .activation_bytes = 5e6};
  const Bound bound = BoundOf(cost, {.peak = 100e9, .cache_bandwidth = 200e9}, 10e9);
  EXPECT_DOUBLE_EQ(bound.products, 2e-3);  // 0.92 of the peak
  EXPECT_DOUBLE_EQ(bound.update, 3e-3);
  EXPECT_DOUBLE_EQ(bound.activations, 1e-4);
  EXPECT_DOUBLE_EQ(bound.total(), 5.1e-3);
}

TEST(MachineSpeed, Bf16IsFasterThanFloat32) {
  const auto isa = nn::DetectBestIsa();
  DL_ASSERT_OK(isa);
  if (*isa < nn::Isa::kAvx512Bf16) GTEST_SKIP() << "this CPU has no instructions for bf16";
  const MachineSpeed speed = MeasureMachine(*isa, 1);
  EXPECT_GT(speed.PeakOf(nn::Precision::kBf16), 1.2 * speed.PeakOf(nn::Precision::kFloat32));
}

TEST(MachineSpeed, OfTwoThreadsIsPositive) {
  const MachineSpeed speed = MeasureMachine(nn::Isa::kAvx2, 2);
  EXPECT_GT(speed.peak, 1e9);
  EXPECT_EQ(speed.bf16_peak, 0);
  EXPECT_GT(speed.memory_bandwidth, 1e8);
  EXPECT_GT(speed.cache_bandwidth, 1e8);
  EXPECT_GT(MeasureBandwidth(1e6, 2), 1e8);
}

}  // namespace
}  // namespace dl::speed
