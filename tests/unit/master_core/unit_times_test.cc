// The master accepts announced times only as far as its own clock permits.
#include "master/core/job/unit_times.h"

#include "gtest/gtest.h"

namespace dl::master {
namespace {

using std::chrono::microseconds;

constexpr Duration kMeasured = microseconds(1000);

TEST(UnitTimes, PossibleTimesAreAccepted) {
  EXPECT_EQ(AcceptedTimes(
                {.unit_us = 900, .computing_us = 500, .data_wait_us = 200, .state_wait_us = 100},
                kMeasured),
            (UnitTimes{.in_slot = microseconds(900),
                       .computing = microseconds(500),
                       .data_wait = microseconds(200),
                       .state_wait = microseconds(100)}));
}

TEST(UnitTimes, UnitTakesAtMostTheMeasuredTime) {
  const UnitTimes times = AcceptedTimes(
      {.unit_us = INT64_MAX, .computing_us = INT64_MAX, .data_wait_us = 400, .state_wait_us = 100},
      kMeasured);
  EXPECT_EQ(times, (UnitTimes{.in_slot = kMeasured,
                              .computing = microseconds(500),
                              .data_wait = microseconds(400),
                              .state_wait = microseconds(100)}));
}

TEST(UnitTimes, SharesTakeAtMostTheTimeOfTheUnit) {
  const UnitTimes times = AcceptedTimes(
      {.unit_us = 300, .computing_us = 1, .data_wait_us = 1000, .state_wait_us = 200}, kMeasured);
  EXPECT_EQ(times, (UnitTimes{.in_slot = microseconds(300),
                              .computing = {},
                              .data_wait = microseconds(100),
                              .state_wait = microseconds(200)}));
}

TEST(UnitTimes, NegativeTimesAreZero) {
  const UnitTimes times = AcceptedTimes(
      {.unit_us = 300, .computing_us = INT64_MIN, .data_wait_us = -1, .state_wait_us = INT64_MIN},
      kMeasured);
  EXPECT_EQ(times, UnitTimes{.in_slot = microseconds(300)});
  EXPECT_EQ(AcceptedTimes({.unit_us = 1, .computing_us = 1}, -kMeasured), UnitTimes());
}

TEST(UnitTimes, UnitWithoutATimeTakesTheMeasuredTime) {
  EXPECT_EQ(AcceptedTimes({}, kMeasured), UnitTimes{.in_slot = kMeasured});
  EXPECT_EQ(AcceptedTimes({.unit_us = -5}, kMeasured), UnitTimes{.in_slot = kMeasured});
}

}  // namespace
}  // namespace dl::master
