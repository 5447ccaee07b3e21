// Tests which ended jobs stay if their number is limited.
#include "master/gateway/retention.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "master/core/record_keys.h"
#include "master/core/records/checkpoint_record.h"
#include "tests/unit/master/gateway_fixture.h"

namespace dl::master {
namespace {

class RetentionOfJobs : public GatewayTest {
 protected:
  void SetUp() override { Start({}, {.jobs = 1}); }
  std::string Submit() {
    const auto job = gateway_->Submit(Submission(absl::StrCat("r", ++requests_), 1), kLong);
    DL_EXPECT_OK(job);
    return job.ok() ? job->job : "";
  }
  // Ends the job, later than all jobs that have ended.
  void End(const std::string& job) {
    const int64_t before = Clock::Real().WallUnixMs();
    while (Clock::Real().WallUnixMs() == before) continue;
    DL_EXPECT_OK(gateway_->Act({.request_id = absl::StrCat("r", ++requests_),
                                .job = job,
                                .action = rpc::JobAction::kCancel},
                               kLong));
  }
  void Pin(const std::string& job) {
    store_.Put(keys::Checkpoint(job, 1),
               JsonText(ToJson(CheckpointInfo{.round = 1, .manifest = "{}", .pinned = true})));
  }
  bool Exists(const std::string& job) {
    return gateway_->Query({.what = rpc::QueryKind::kJob, .job = job}, kLong).ok();
  }
  void AwaitDeletion(const std::string& job) {
    while (Exists(job)) continue;
  }

 private:
  int requests_ = 0;
};

// Otherwise pinned checkpoints of old jobs cause the deletion of jobs of other owners.
TEST_F(RetentionOfJobs, JobsWithPinnedCheckpointsDoNotCount) {
  const std::string pinned = Submit(), first = Submit(), second = Submit(), third = Submit();
  End(pinned);
  Pin(pinned);
  for (const std::string& job : {first, second, third}) End(job);
  AwaitDeletion(first);
  AwaitDeletion(second);
  // Retention may look several times after the last end.
  for (int query = 0; query < 1000; ++query) ASSERT_TRUE(Exists(third)) << query;
  EXPECT_TRUE(Exists(pinned));
}

// Otherwise the result of a long job is deleted as soon as it ends, because of younger short jobs.
TEST_F(RetentionOfJobs, JobThatEndedLastStays) {
  const std::string longest = Submit(), shorter = Submit();
  End(shorter);
  End(longest);
  while (Exists(shorter) && Exists(longest)) continue;
  EXPECT_TRUE(Exists(longest));
  EXPECT_FALSE(Exists(shorter));
}

}  // namespace
}  // namespace dl::master
