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
  void LookAfter(Duration passed, Duration wrong = Duration::zero()) {
    passed_ += passed;
    expiry_.RecordTime(Instant{7} + passed_, kEndMs + Ms(passed_ + wrong));
  }
  bool IsDue() const { return expiry_.IsDue(kEndMs); }

  Duration passed_{};
  Expiry expiry_{hours(12), Instant{7}};
};

TEST_F(ExpiryTest, JobIsDueAfterItsTime) {
  LookAfter(Duration::zero());
  LookAfter(hours(12) - milliseconds(1));
  EXPECT_FALSE(IsDue());
  LookAfter(milliseconds(1));
  EXPECT_TRUE(IsDue());
  EXPECT_TRUE(expiry_.IsDue(kEndMs - 1));
  EXPECT_FALSE(expiry_.IsDue(kEndMs + 1));
  EXPECT_FALSE(expiry_.IsDue(INT64_MAX));
}

TEST_F(ExpiryTest, OldJobAtStartIsDueAtSecondCheck) {
  LookAfter(hours(13));
  EXPECT_FALSE(IsDue());
  LookAfter(minutes(8));
  EXPECT_TRUE(IsDue());
}

TEST_F(ExpiryTest, WrongClockAtOneCheckDeletesNothing) {
  LookAfter(Duration::zero());
  for (const Duration wrong : {Duration(hours(100'000)), Duration(-hours(100'000))}) {
    for (int i = 0; i < 5; ++i) LookAfter(minutes(8));
    LookAfter(minutes(8), wrong);
    EXPECT_FALSE(IsDue());
    LookAfter(minutes(8));
    EXPECT_FALSE(IsDue());
  }
  // The result is not late either.
  LookAfter(hours(12) - passed_, -hours(1));
  EXPECT_FALSE(IsDue());
  LookAfter(minutes(8));
  EXPECT_FALSE(IsDue()) << "it says so for the first time";
  LookAfter(minutes(8));
  EXPECT_TRUE(IsDue());
}

TEST_F(ExpiryTest, WrongClockAtStartDeletesNothing) {
  LookAfter(Duration::zero(), hours(100'000));
  EXPECT_FALSE(IsDue());
  LookAfter(minutes(8));
  EXPECT_FALSE(IsDue());
}

TEST_F(ExpiryTest, CorrectedClockIsUsed) {
  LookAfter(Duration::zero());
  LookAfter(minutes(8), hours(12));
  EXPECT_FALSE(IsDue());
  LookAfter(minutes(8), hours(12));
  EXPECT_TRUE(IsDue());
  LookAfter(minutes(8));
  EXPECT_FALSE(IsDue()) << "and when it is set back, at once";
}

TEST_F(ExpiryTest, UnknownEndCountsFromStartOfMaster) {
  LookAfter(Duration::zero(), hours(13));
  LookAfter(hours(12) - milliseconds(1), hours(13));
  EXPECT_FALSE(expiry_.IsDue(0));
  LookAfter(milliseconds(1), -hours(13));
  EXPECT_TRUE(expiry_.IsDue(0));
}

TEST(ExpiryPeriod, IsOneHundredthOfTimeWithinBounds) {
  EXPECT_EQ(Expiry(seconds(1), {}).Period(), milliseconds(100));
  EXPECT_EQ(Expiry(minutes(100), {}).Period(), minutes(1));
  EXPECT_EQ(Expiry(hours(24 * 7), {}).Period(), minutes(10));
}

}  // namespace
}  // namespace dl::master
