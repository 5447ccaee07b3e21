#include "master/gateway/expiry.h"

#include <gtest/gtest.h>

namespace dl::master {
namespace {

using std::chrono::hours, std::chrono::minutes, std::chrono::seconds, std::chrono::milliseconds;

constexpr int64_t kEndMs = 1'800'000'000'000;

int64_t Ms(Duration time) { return std::chrono::duration_cast<milliseconds>(time).count(); }

class ExpiryTest : public testing::Test {
 protected:
  // Looks after `passed`. The wall clock is off by `wrong`.
  void RecordAfter(Duration passed, Duration wrong = Duration::zero()) {
    passed_ += passed;
    expiry_.RecordTime(Instant{7} + passed_, kEndMs + Ms(passed_ + wrong));
  }
  bool IsDue() const { return expiry_.IsDue(kEndMs); }

  Duration passed_{};
  Expiry expiry_{hours(12), Instant{7}};
};

TEST_F(ExpiryTest, JobIsDueAfterItsTime) {
  RecordAfter(Duration::zero());
  RecordAfter(hours(12) - milliseconds(1));
  EXPECT_FALSE(IsDue());
  RecordAfter(milliseconds(1));
  EXPECT_TRUE(IsDue());
  EXPECT_TRUE(expiry_.IsDue(kEndMs - 1));
  EXPECT_FALSE(expiry_.IsDue(kEndMs + 1));
  EXPECT_FALSE(expiry_.IsDue(INT64_MAX));
}

TEST_F(ExpiryTest, OldJobAtStartIsDueAtSecondCheck) {
  RecordAfter(hours(13));
  EXPECT_FALSE(IsDue());
  RecordAfter(minutes(8));
  EXPECT_TRUE(IsDue());
}

TEST_F(ExpiryTest, WrongClockAtOneCheckDeletesNothing) {
  RecordAfter(Duration::zero());
  for (const Duration wrong : {Duration(hours(100'000)), Duration(-hours(100'000))}) {
    for (int i = 0; i < 5; ++i) RecordAfter(minutes(8));
    RecordAfter(minutes(8), wrong);
    EXPECT_FALSE(IsDue());
    RecordAfter(minutes(8));
    EXPECT_FALSE(IsDue());
  }
  // The result is not late either.
  RecordAfter(hours(12) - passed_, -hours(1));
  EXPECT_FALSE(IsDue());
  RecordAfter(minutes(8));
  EXPECT_FALSE(IsDue()) << "it says so for the first time";
  RecordAfter(minutes(8));
  EXPECT_TRUE(IsDue());
}

TEST_F(ExpiryTest, WrongClockAtStartDeletesNothing) {
  RecordAfter(Duration::zero(), hours(100'000));
  EXPECT_FALSE(IsDue());
  RecordAfter(minutes(8));
  EXPECT_FALSE(IsDue());
}

TEST_F(ExpiryTest, CorrectedClockIsUsed) {
  RecordAfter(Duration::zero());
  RecordAfter(minutes(8), hours(12));
  EXPECT_FALSE(IsDue());
  RecordAfter(minutes(8), hours(12));
  EXPECT_TRUE(IsDue());
  RecordAfter(minutes(8));
  EXPECT_FALSE(IsDue()) << "and when it is set back, at once";
}

TEST_F(ExpiryTest, UnknownEndCountsFromStartOfMaster) {
  RecordAfter(Duration::zero(), hours(13));
  RecordAfter(hours(12) - milliseconds(1), hours(13));
  EXPECT_FALSE(expiry_.IsDue(0));
  RecordAfter(milliseconds(1), -hours(13));
  EXPECT_TRUE(expiry_.IsDue(0));
}

TEST(ExpiryPeriod, IsOneHundredthOfTimeWithinBounds) {
  EXPECT_EQ(Expiry(seconds(1), {}).Period(), milliseconds(100));
  EXPECT_EQ(Expiry(minutes(100), {}).Period(), minutes(1));
  EXPECT_EQ(Expiry(hours(24 * 7), {}).Period(), minutes(10));
}

}  // namespace
}  // namespace dl::master
