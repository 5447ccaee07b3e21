#include "nn/conf/schedule.h"

#include <cmath>

#include "gtest/gtest.h"

namespace dl::nn {
namespace {

TEST(ScheduleTest, FixedNeverChanges) {
  const Schedule schedule = Fixed(0.02);
  EXPECT_EQ(RateAt(schedule, 0, 100), 0.02);
  EXPECT_EQ(RateAt(schedule, 1'000'000, 100), 0.02);
}

TEST(ScheduleTest, StepMultipliesAtTheBorders) {
  const Schedule schedule = StepSchedule(0.5, 0.5, 10);
  EXPECT_EQ(RateAt(schedule, 0, 0), 0.5);
  EXPECT_EQ(RateAt(schedule, 9, 0), 0.5);
  EXPECT_EQ(RateAt(schedule, 10, 0), 0.25);
  EXPECT_EQ(RateAt(schedule, 19, 0), 0.25);
  EXPECT_EQ(RateAt(schedule, 30, 0), 0.0625);
  EXPECT_EQ(RateAt(schedule, -5, 0), 0.5);
}

TEST(ScheduleTest, CosineDescendsFromInitialToFinal) {
  const Schedule schedule = CosineSchedule(0.05, 0.01);
  EXPECT_EQ(RateAt(schedule, 0, 1000), 0.05);
  EXPECT_NEAR(RateAt(schedule, 500, 1000), 0.03, 1e-15);
  EXPECT_NEAR(RateAt(schedule, 1000, 1000), 0.01, 1e-17);
  EXPECT_EQ(RateAt(schedule, 5000, 1000), RateAt(schedule, 1000, 1000));
  for (int t = 0; t < 1000; t += 37) {
    const double expected = 0.01 + 0.04 * (1 + std::cos(M_PI * t / 1000)) / 2;
    EXPECT_NEAR(RateAt(schedule, t, 1000), expected, 1e-15) << t;
    EXPECT_GT(RateAt(schedule, t, 1000), RateAt(schedule, t + 37, 1000)) << t;
  }
}

TEST(ScheduleTest, CosineWithStepsIgnoresThePlan) {
  const Schedule schedule = CosineSchedule(0.1, 0, 200);
  EXPECT_EQ(RateAt(schedule, 100, 1'000'000), RateAt(CosineSchedule(0.1), 100, 200));
  EXPECT_EQ(RateAt(CosineSchedule(0.1), 0, 0), 0.1);  // an empty plan divides nothing by 0
}

TEST(ScheduleTest, BitsAreRecorded) {
  // The same on every machine: recorded once.
  EXPECT_EQ(RateAt(CosineSchedule(0.05), 333, 1000), 0x1.3362bbb8381c2p-5);
  EXPECT_EQ(RateAt(StepSchedule(0.1, 0.7, 3), 10, 0), 0x1.18fc504816effp-5);
}

}  // namespace
}  // namespace dl::nn
