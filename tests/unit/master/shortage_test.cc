// A master that may open no more files: its work waits, and nothing ends for it.
#include "master/merge/shortage.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>

#include "averaging/average.h"
#include "base/thread.h"
#include "master/merge/merge_engine.h"
#include "storage/bulk_database.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/master/event_inbox.h"

namespace dl::master {
namespace {

// No file can be opened while it lives, whatever is open.
class NoFiles {
 public:
  NoFiles() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    rlimit none = before_;
    none.rlim_cur = 0;
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoFiles() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }

 private:
  rlimit before_{};
};

class ShortageTest : public testing::Test {
 protected:
  void Start() {
    SegmentTable table;
    table.Add("w", SegmentKind::kParameter, {40, 5});
    const auto strategy = std::make_shared<averaging::Average>(
        *averaging::StateLayout::Create(table, averaging::UpdaterStatePolicy::kAverage));
    engine_ = std::make_unique<MergeEngine>(MergeEngine::Options{
        .checkpoints = &checkpoints_,
        .term = 1,
        .material = [this, strategy](const std::string&) -> StatusOr<JobMaterial> {
          DL_RETURN_IF_ERROR(material_error_());
          return JobMaterial{.strategy = strategy,
                             .initial_state = [] { return std::vector<float>(200, 0.5f); }};
        },
        .post = [this](Event event) { events_.Post(std::move(event)); }});
  }

  test::TempFolder folder_;
  std::unique_ptr<storage::BulkDatabase> bulk_ =
      *storage::BulkDatabase::Open(folder_.path(), "bulk", {.min_free_bytes = 0});
  storage::CheckpointStore checkpoints_{*bulk_};
  std::function<Status()> material_error_ = [] { return absl::OkStatus(); };
  EventInbox events_;
  std::unique_ptr<MergeEngine> engine_;  // last: it ends first
};

TEST_F(ShortageTest, ACheckpointIsWrittenWhenThereAreFilesAgain) {
  Start();
  engine_->Do(PrepareState{.job = "j", .round = 0});
  DL_ASSERT_OK(events_.WaitFor<StatePrepared>().status);
  {
    const NoFiles none;
    engine_->Do(WriteCheckpoint{"j", 0});
    while (engine_->shortages() == 0) {
    }
  }
  const auto written = events_.WaitFor<CheckpointWritten>();
  DL_ASSERT_OK(written.status);
  const auto manifest =
      storage::CheckpointManifestFromJson(*ParseJson(written.manifest, "m"), "manifest");
  DL_ASSERT_OK(manifest);
  std::vector<float> read(200);
  DL_ASSERT_OK(checkpoints_.Read(*manifest, "model", std::as_writable_bytes(std::span(read))));
  EXPECT_EQ(read, std::vector<float>(200, 0.5f));
}

TEST_F(ShortageTest, AStateIsPreparedWhenThereIsMemoryAgain) {
  int tried = 0;
  material_error_ = [&tried] {
    return ++tried < 3 ? SystemError(ENOMEM, "read the spec", "meta") : absl::OkStatus();
  };
  Start();
  engine_->Do(PrepareState{.job = "j", .round = 0});
  DL_ASSERT_OK(events_.WaitFor<StatePrepared>().status);
  EXPECT_EQ(engine_->shortages(), 2);
}

TEST_F(ShortageTest, OtherErrorsAreToldAtOnce) {
  material_error_ = [] { return SystemError(EIO, "read the spec", "meta"); };
  Start();
  engine_->Do(PrepareState{.job = "j", .round = 0});
  EXPECT_TRUE(absl::IsDataLoss(events_.WaitFor<StatePrepared>().status));
  EXPECT_EQ(engine_->shortages(), 0);
}

TEST(OutlastTest, StopEndsTheWait) {
  Shortage shortage;
  Status last;
  Thread thread("waits", [&] {
    last = shortage.Outlast("work", [] { return SystemError(EMFILE, "open", "f"); });
  });
  while (shortage.count() < 2) {
  }
  shortage.Stop();
  thread.Join();
  EXPECT_TRUE(IsShortage(last)) << last;
}

}  // namespace
}  // namespace dl::master
