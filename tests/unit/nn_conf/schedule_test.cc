#include "nn/conf/schedule.h"

#include <cmath>

#include "base/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dl::nn {
namespace {

using ::testing::HasSubstr;

TEST(ScheduleTest, FixedNeverChanges) {
  const Schedule schedule = Fixed(0.02);
  EXPECT_EQ(RateAt(schedule, 0, {.steps = 100}), 0.02);
  EXPECT_EQ(RateAt(schedule, 1'000'000, {.steps = 100}), 0.02);
}

TEST(ScheduleTest, StepMultipliesAtTheBorders) {
  const Schedule schedule = StepSchedule(0.5, 0.5, 10);
  EXPECT_EQ(RateAt(schedule, 0, {.steps = 0}), 0.5);
  EXPECT_EQ(RateAt(schedule, 9, {.steps = 0}), 0.5);
  EXPECT_EQ(RateAt(schedule, 10, {.steps = 0}), 0.25);
  EXPECT_EQ(RateAt(schedule, 19, {.steps = 0}), 0.25);
  EXPECT_EQ(RateAt(schedule, 30, {.steps = 0}), 0.0625);
  EXPECT_EQ(RateAt(schedule, -5, {.steps = 0}), 0.5);
}

TEST(ScheduleTest, CosineDescendsFromInitialToFinal) {
  const Schedule schedule = CosineSchedule(0.05, 0.01);
  EXPECT_EQ(RateAt(schedule, 0, {.steps = 1000}), 0.05);
  EXPECT_NEAR(RateAt(schedule, 500, {.steps = 1000}), 0.03, 1e-15);
  EXPECT_NEAR(RateAt(schedule, 1000, {.steps = 1000}), 0.01, 1e-17);
  EXPECT_EQ(RateAt(schedule, 5000, {.steps = 1000}), RateAt(schedule, 1000, {.steps = 1000}));
  for (int t = 0; t < 1000; t += 37) {
    const double expected = 0.01 + 0.04 * (1 + std::cos(M_PI * t / 1000)) / 2;
    EXPECT_NEAR(RateAt(schedule, t, {.steps = 1000}), expected, 1e-15) << t;
    EXPECT_GT(RateAt(schedule, t, {.steps = 1000}), RateAt(schedule, t + 37, {.steps = 1000})) << t;
  }
}

TEST(ScheduleTest, CosineWithStepsIgnoresThePlan) {
  const Schedule schedule = CosineSchedule(0.1, 0, 200);
  EXPECT_EQ(RateAt(schedule, 100, {.steps = 1'000'000}),
            RateAt(CosineSchedule(0.1), 100, {.steps = 200}));
  EXPECT_EQ(RateAt(CosineSchedule(0.1), 0, {.steps = 0}),
            0.1);  // an empty plan does not divide by 0
}

TEST(ScheduleTest, PlateausLowerTheRateToTheLowest) {
  const Schedule schedule =
      PlateauSchedule({.initial = 0.5, .factor = 0.25, .patience = 2, .final = 0.01});
  EXPECT_TRUE(FollowsAMetric(schedule));
  EXPECT_FALSE(FollowsAMetric(StepSchedule(0.5, 0.5, 10)));
  for (const int64_t t : {0, 7, 1'000'000}) {
    EXPECT_EQ(RateAt(schedule, t, {.steps = 100}), 0.5);
    EXPECT_EQ(RateAt(schedule, t, {.steps = 100}, 1), 0.125);
    EXPECT_EQ(RateAt(schedule, t, {.steps = 100}, 2), 0.03125);
    EXPECT_EQ(RateAt(schedule, t, {.steps = 100}, 3), 0.01);
    EXPECT_EQ(RateAt(schedule, t, {.steps = 100}, INT64_MAX), 0.01);
  }
  // A warm-up rises to the rate after the plateaus so far. Other schedules ignore plateaus.
  EXPECT_EQ(RateAt(Schedule(schedule).WarmUp(4), 1, {}, 1), 0.0625);
  EXPECT_EQ(RateAt(StepSchedule(0.5, 0.5, 10), 10, {}, 3), 0.25);
}

TEST(ScheduleTest, ExponentialIsStepsMadeEven) {
  const Schedule schedule = ExponentialSchedule(0.5, 0.25, 10);
  EXPECT_EQ(RateAt(schedule, 0, {}), 0.5);
  EXPECT_NEAR(RateAt(schedule, 5, {}), 0.25, 1e-15);
  EXPECT_EQ(RateAt(schedule, 10, {}), 0.125);
  EXPECT_EQ(RateAt(schedule, 30, {}), 0.0078125);
  EXPECT_EQ(RateAt(ExponentialSchedule(0.5, 0, 10), 5, {}), 0);
  EXPECT_EQ(RateAt(ExponentialSchedule(0.5, 0, 10), 0, {}), 0.5);
}

TEST(ScheduleTest, InverseDividesByTime) {
  EXPECT_EQ(RateAt(InverseSchedule(0.5, 0.25), 4, {}), 0.25);
  EXPECT_EQ(RateAt(InverseSchedule(0.5, 0.25, 2), 12, {}), 0.03125);
  EXPECT_NEAR(RateAt(InverseSchedule(0.01, 0.0001, 0.75), 5000, {}), 0.01 / std::pow(1.5, 0.75),
              1e-17);
  EXPECT_EQ(RateAt(InverseSchedule(0.5, 1e6, 1000), limits::kMaxScheduleSteps, {}), 0);
}

TEST(ScheduleTest, PolynomialEndsWithTheJob) {
  const Schedule line = PolynomialSchedule(0.5, 0.1);
  EXPECT_EQ(RateAt(line, 0, {.steps = 100}), 0.5);
  EXPECT_NEAR(RateAt(line, 25, {.steps = 100}), 0.4, 1e-15);
  EXPECT_EQ(RateAt(line, 100, {.steps = 100}), 0.1);
  EXPECT_EQ(RateAt(line, 200, {.steps = 100}), 0.1);
  EXPECT_EQ(RateAt(PolynomialSchedule(0.5, 0, 2, 4), 2, {}), 0.125);
  EXPECT_NEAR(RateAt(PolynomialSchedule(1, 0, 0.5, 4), 3, {}), 0.5, 1e-15);
}

TEST(ScheduleTest, OneCycleRisesAndFalls) {
  const Schedule schedule =
      OneCycleSchedule({.initial = 0.1, .peak = 0.9, .final = 0.01, .rise = 0.25});
  EXPECT_NEAR(RateAt(schedule, 0, {.steps = 80}), 0.1, 1e-15);
  EXPECT_NEAR(RateAt(schedule, 10, {.steps = 80}), 0.5, 1e-15);
  EXPECT_NEAR(RateAt(schedule, 20, {.steps = 80}), 0.9, 1e-15);
  EXPECT_NEAR(RateAt(schedule, 50, {.steps = 80}), 0.455, 1e-15);
  EXPECT_NEAR(RateAt(schedule, 80, {.steps = 80}), 0.01, 1e-15);
  EXPECT_NEAR(RateAt(schedule, 500, {.steps = 80}), 0.01, 1e-15);
  EXPECT_EQ(RateAt(OneCycleSchedule({.initial = 0.1, .peak = 0.9, .rise = 0}), 0, {}), 0.9);
}

TEST(ScheduleTest, TableHasStartOfEachRate) {
  const Schedule schedule = TableSchedule(0.5, {3, 10}, {0.25, 1});
  EXPECT_EQ(RateAt(schedule, 0, {}), 0.5);
  EXPECT_EQ(RateAt(schedule, 2, {}), 0.5);
  EXPECT_EQ(RateAt(schedule, 3, {}), 0.25);
  EXPECT_EQ(RateAt(schedule, 9, {}), 0.25);
  EXPECT_EQ(RateAt(schedule, 10, {}), 1);
  EXPECT_EQ(RateAt(schedule, 1'000'000, {}), 1);
  EXPECT_EQ(RateAt(TableSchedule(0.5, {}, {}), 7, {}), 0.5);
}

TEST(ScheduleTest, InvalidTableIsRefused) {
  const auto mistakes_of = [](const Schedule& schedule) {
    Mistakes mistakes;
    CheckValue(Field{}, schedule, mistakes);
    return std::string(mistakes.ToStatus().message());
  };
  EXPECT_EQ(mistakes_of(TableSchedule(0.5, {1, 2}, {0.25, 1})), "");
  EXPECT_THAT(mistakes_of(TableSchedule(0.5, {1, 2}, {0.25})),
              HasSubstr("has 2 steps and 1 rates"));
  EXPECT_THAT(mistakes_of(TableSchedule(0.5, {0}, {1})),
              HasSubstr("a step of the schedule's table"));
  EXPECT_THAT(mistakes_of(TableSchedule(0.5, {2, 2}, {1, 1})),
              HasSubstr("are not in ascending order"));
  EXPECT_THAT(mistakes_of(TableSchedule(0.5, {2}, {-1})), HasSubstr("a rate of the schedule's"));
}

TEST(ScheduleTest, WarmUpRisesToStartOfSchedule) {
  for (const Schedule& plain : {Fixed(0.5), StepSchedule(0.5, 0.5, 3), CosineSchedule(0.5),
                                TableSchedule(0.5, {3}, {0.1})}) {
    Schedule schedule = plain;
    schedule.WarmUp(4);
    EXPECT_EQ(RateAt(schedule, 0, {.steps = 24}), 0.125);
    EXPECT_EQ(RateAt(schedule, 1, {.steps = 24}), 0.25);
    EXPECT_EQ(RateAt(schedule, 3, {.steps = 24}), 0.5);
    for (int64_t t = 4; t < 30; ++t)
      EXPECT_EQ(RateAt(schedule, t, {.steps = 24}), RateAt(plain, t - 4, {.steps = 20})) << t;
  }
  // A warm-up that is longer than the job.
  EXPECT_EQ(RateAt(CosineSchedule(0.5).WarmUp(100), 49, {.steps = 50}), 0.25);
}

TEST(ScheduleTest, ByEpochTheRateChangesBetweenEpochs) {
  const Schedule schedule = StepSchedule(0.5, 0.5, 2).ByEpoch();
  const JobLength job{.steps = 70, .epoch_steps = 10};
  EXPECT_EQ(RateAt(schedule, 19, job), 0.5);
  EXPECT_EQ(RateAt(schedule, 20, job), 0.25);
  EXPECT_EQ(RateAt(schedule, 39, job), 0.25);
  const Schedule cosine = CosineSchedule(0.5).ByEpoch();
  for (int64_t t = 0; t < 70; ++t)
    EXPECT_EQ(RateAt(cosine, t, job), RateAt(CosineSchedule(0.5), t / 10, {.steps = 7})) << t;
  // The warm-up rises with each step, over two epochs.
  const Schedule warm = CosineSchedule(0.5).WarmUp(2).ByEpoch();
  EXPECT_EQ(RateAt(warm, 0, job), 0.025);
  EXPECT_EQ(RateAt(warm, 9, job), 0.25);
  EXPECT_EQ(RateAt(warm, 25, job), RateAt(CosineSchedule(0.5), 0, {.steps = 5}));
  EXPECT_EQ(RateAt(warm, 69, job), RateAt(CosineSchedule(0.5), 4, {.steps = 5}));
  EXPECT_EQ(RateAt(schedule, 5, {}), 0.125);  // an empty plan does not divide by 0
}

TEST(ScheduleTest, BitsAreRecorded) {
  // Recorded once; equal on every machine.
  EXPECT_EQ(RateAt(CosineSchedule(0.05), 333, {.steps = 1000}), 0x1.3362bbb8381c2p-5);
  EXPECT_EQ(RateAt(StepSchedule(0.1, 0.7, 3), 10, {.steps = 0}), 0x1.18fc504816effp-5);
}

}  // namespace
}  // namespace dl::nn
