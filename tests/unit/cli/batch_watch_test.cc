#include "cli/clusters/batch_watch.h"

#include "base/limits.h"
#include "gtest/gtest.h"

namespace dl::cli {
namespace {

constexpr Duration kLook = std::chrono::seconds(2);

class BatchWatchTest : public testing::Test {
 protected:
  // Checks repeatedly until the batch job counts as lost. Returns the time until then.
  Duration UntilLost() {
    const Instant begin = now_;
    while (!watch_.IsLost(true, now_)) now_ = now_ + kLook;
    return now_ - begin;
  }

  BatchWatch watch_;
  Instant now_{3'600'000'000'000};
};

TEST_F(BatchWatchTest, SilentNewJobHasTimeToStart) {
  EXPECT_EQ(UntilLost(), limits::kBatchStartTimeout);
}

TEST_F(BatchWatchTest, JobThatReportedTimesOutSooner) {
  watch_.RecordMessage(now_);
  EXPECT_EQ(UntilLost(), limits::kBatchSilenceTimeout);
}

// The job is first seen running, and reports once before the next check.
TEST_F(BatchWatchTest, ReportBetweenTwoChecksCounts) {
  EXPECT_FALSE(watch_.IsLost(true, now_));
  watch_.RecordMessage(now_ = now_ + kLook / 2);
  EXPECT_EQ(UntilLost(), limits::kBatchSilenceTimeout);
}

// The job reports before Slurm could be queried.
TEST_F(BatchWatchTest, ReportBeforeStartIsKnownCounts) {
  watch_.RecordMessage(now_);
  now_ = now_ + std::chrono::hours(1);
  EXPECT_FALSE(watch_.IsLost(false, now_));
  EXPECT_EQ(UntilLost(), limits::kBatchSilenceTimeout);
}

TEST_F(BatchWatchTest, SilenceIsIgnoredIfLockIsInvisible) {
  bool told = false;
  const Instant limit = now_ + 2 * limits::kSharedFileLag + 10 * kLook;
  for (; !told && now_ < limit; now_ = now_ + kLook) {
    watch_.RecordLockCheck(false, now_);
    EXPECT_FALSE(watch_.IsLost(true, now_));
    told = watch_.RecordMasterReport(now_);
  }
  EXPECT_TRUE(told);
  EXPECT_FALSE(watch_.RecordMasterReport(now_ = now_ + limits::kSharedFileLag)) << "said once";
  watch_.Restart();
  now_ = now_ + 10 * limits::kBatchStartTimeout;
  EXPECT_FALSE(watch_.IsLost(true, now_));
}

TEST_F(BatchWatchTest, ReportAfterUnlockKeepsLockTrusted) {
  watch_.RecordLockCheck(true, now_);
  watch_.RecordMasterReport(now_);
  for (const Instant end = now_ + limits::kSharedFileLag / 2; now_ < end; now_ = now_ + kLook) {
    watch_.RecordLockCheck(false, now_);
    EXPECT_FALSE(watch_.RecordMasterReport(now_));
  }
  EXPECT_EQ(UntilLost(), limits::kBatchSilenceTimeout - kLook) << "from the last words on";
}

TEST_F(BatchWatchTest, VisibleLockStaysTrusted) {
  for (int look = 0; look < 100; ++look, now_ = now_ + kLook) {
    watch_.RecordLockCheck(look % 3 == 0, now_);  // a check may come before or after the lock
    EXPECT_FALSE(watch_.RecordMasterReport(now_));
  }
}

TEST_F(BatchWatchTest, TimeCountsOnlyWhileJobRuns) {
  EXPECT_FALSE(watch_.IsLost(true, now_));
  now_ = now_ + limits::kBatchStartTimeout;
  EXPECT_FALSE(watch_.IsLost(false, now_));
  EXPECT_EQ(UntilLost(), limits::kBatchStartTimeout);
}

TEST_F(BatchWatchTest, ReportsBeforeRequeueDoNotCount) {
  watch_.RecordMessage(now_);
  watch_.Restart();
  EXPECT_EQ(UntilLost(), limits::kBatchStartTimeout);
}

}  // namespace
}  // namespace dl::cli
