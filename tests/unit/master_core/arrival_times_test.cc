#include "master/core/fleet/arrival_times.h"

#include "gtest/gtest.h"

namespace dl::master {
namespace {

TEST(ArrivalTimes, ArrivalCountsForLaterRequestsOnly) {
  ArrivalTimes times;
  EXPECT_EQ(times.Last(Instant{5}), Instant{});
  times.Record(Instant{20}, Instant{100});
  EXPECT_EQ(times.Last(Instant{19}), Instant{});
  EXPECT_EQ(times.Last(Instant{20}), Instant{100});
  EXPECT_EQ(times.Last(Instant{30}), Instant{100});
  times.Record(Instant{30}, Instant{110});
  EXPECT_EQ(times.Last(Instant{29}), Instant{100});
  EXPECT_EQ(times.Last(Instant{30}), Instant{110});
  times.Record(Instant{10}, Instant{120});  // a result requested earlier comes late
  EXPECT_EQ(times.Last(Instant{9}), Instant{});
  EXPECT_EQ(times.Last(Instant{10}), Instant{120});
  EXPECT_EQ(times.Last(Instant{30}), Instant{120});
}

TEST(ArrivalTimes, ForgetBeforeChangesNothingForLaterRequests) {
  ArrivalTimes times;
  for (int64_t i = 1; i <= 5; ++i) times.Record(Instant{10 * i}, Instant{100 + i});
  times.ForgetBefore(Instant{35});
  EXPECT_EQ(times.Last(Instant{29}), Instant{});
  EXPECT_EQ(times.Last(Instant{35}), Instant{103});
  EXPECT_EQ(times.Last(Instant{50}), Instant{105});
  times.ForgetBefore(Instant{1});
  EXPECT_EQ(times.Last(Instant{35}), Instant{103});
}

}  // namespace
}  // namespace dl::master
