// Jobs whose stored documents do not load. They are shown as damaged, do not affect other jobs, and
// are left as stored.
#include "gtest/gtest.h"
#include "master/core/record_keys.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {
namespace {

using dl::test::IsError;

class Damaged : public testing::Test {
 protected:
  // A job is running. Another job was cancelled after its first round.
  void SetUp() override {
    e1_ = core_.Register("e1");
    ended_ = core_.RunningJob(CoreHarness::Definition());
    core_.CompleteRound(ended_, e1_);
    DL_ASSERT_OK(core_.Act({.job = ended_, .action = rpc::JobAction::kCancel}));
    core_.CheckpointIsWritten(ended_, 1);
    ASSERT_EQ(core_.job(ended_).record.state, JobState::kCancelled);
    live_ = core_.RunningJob(CoreHarness::Definition());
  }
  void Put(const std::string& key, const std::string& value) {
    storage::MetaBatch batch;
    batch.Put(key, value);
    DL_ASSERT_OK(core_.store.Write(batch));
  }
  std::map<std::string, std::string> DocumentsOf(const std::string& id) {
    std::map<std::string, std::string> documents;
    DL_EXPECT_OK(core_.store.Scan("", [&](std::string_view key, std::string_view value) {
      if (key.find(id) != std::string_view::npos) documents.emplace(key, value);
      return absl::OkStatus();
    }));
    return documents;
  }
  void ExpectNothingCanBeAsked(const std::string& id) {
    for (const rpc::JobAction action : {rpc::JobAction::kResume, rpc::JobAction::kCancel,
                                        rpc::JobAction::kCheckpoint, rpc::JobAction::kPin}) {
      EXPECT_THAT(core_.Act({.job = id, .action = action, .round = 1}),
                  IsError(absl::StatusCode::kDataLoss, id));
    }
  }

  CoreHarness core_;
  uint64_t e1_ = 0;
  std::string ended_, live_;
};

TEST_F(Damaged, EndedJobIsShownAndUnchanged) {
  for (const ReportKind kind : kReportKinds) Put(keys::Ended(ended_, kind), "{");
  Put(keys::LogHead(ended_), "{");
  const auto before = DocumentsOf(ended_);
  core_.Restart();
  const Json shown = core_.Query("job", ended_);
  EXPECT_EQ(shown.value("state", ""), "CANCELLED");
  EXPECT_NE(shown.value("message", "").find("the stored records of " + ended_ + " are damaged"),
            std::string::npos);
  EXPECT_EQ(shown.at("error").value("where", ""), keys::LogHead(ended_));
  ExpectNothingCanBeAsked(ended_);
  EXPECT_EQ(DocumentsOf(ended_), before);
  EXPECT_TRUE(core_.job(live_).active());
}

TEST_F(Damaged, RunningJobFailsUntilRecordsAreRestored) {
  const std::string key = keys::LogRecord(live_, 0), intact = **core_.store.Get(key);
  Put(key, "{");
  const auto before = DocumentsOf(live_);
  core_.Restart();
  const Json shown = core_.Query("job", live_);
  EXPECT_EQ(shown.value("state", ""), "FAILED");
  EXPECT_EQ(shown.value("reason", ""), "storage");
  EXPECT_EQ(shown.at("error").value("code", ""), "data_loss");
  EXPECT_EQ(core_.Query("result", live_).value("state", ""), "FAILED");
  ExpectNothingCanBeAsked(live_);
  EXPECT_EQ(DocumentsOf(live_), before);

  // Other jobs run beside the damaged one.
  e1_ = core_.Register("e1");
  const std::string other = core_.RunningJob(CoreHarness::Definition());
  core_.CompleteRound(other, e1_);
  EXPECT_EQ(core_.job(other).log.committed, 1);

  Put(key, intact);
  core_.Restart();
  EXPECT_TRUE(core_.job(live_).active());
}

TEST_F(Damaged, JobWithUnreadableRecordKeepsState) {
  Put(keys::Job(ended_), R"({"state":"SUCCEEDED","of":"another version"})");
  for (const ReportKind kind : kReportKinds) Put(keys::Ended(ended_, kind), "{");
  core_.Restart();
  EXPECT_EQ(core_.Query("job", ended_).value("state", ""), "SUCCEEDED");
}

}  // namespace
}  // namespace dl::master
