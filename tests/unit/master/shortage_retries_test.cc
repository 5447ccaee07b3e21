// A master that cannot open more files retries its work, and no job ends.
#include "master/merge/shortage_retries.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "averaging/average.h"
#include "averaging/grid.h"
#include "base/checksum.h"
#include "base/float_buffer.h"
#include "base/system_error.h"
#include "base/thread.h"
#include "master/merge/merge_engine.h"
#include "storage/bulk_database.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/master/event_inbox.h"

namespace dl::master {
namespace {

// While this object exists, no more files can be opened.
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

// While this object exists, large buffers cannot be allocated. Small ones can.
class NoLargeBuffers {
 public:
  static constexpr int64_t kLarge = 64 << 20;  // bytes
  NoLargeBuffers() {
    EXPECT_EQ(::getrlimit(RLIMIT_AS, &before_), 0);
    rlimit little = before_;
    std::ifstream("/proc/self/statm") >> little.rlim_cur;  // number of mapped pages
    little.rlim_cur = little.rlim_cur * static_cast<rlim_t>(::getpagesize()) + kLarge / 2;
    EXPECT_EQ(::setrlimit(RLIMIT_AS, &little), 0);
  }
  ~NoLargeBuffers() { EXPECT_EQ(::setrlimit(RLIMIT_AS, &before_), 0); }

 private:
  rlimit before_{};
};

class ShortageTest : public testing::Test {
 protected:
  void Start(int64_t floats = 200) {
    SegmentTable table;
    table.Add("w", SegmentKind::kParameter, {floats});
    strategy_ = std::make_shared<averaging::Average>(
        *averaging::StateLayout::Create(table, averaging::UpdaterStatePolicy::kAverage));
    engine_ = std::make_unique<MergeEngine>(MergeEngine::Options{
        .checkpoints = &checkpoints_,
        .term = 1,
        .material = [this, floats](const std::string&) -> StatusOr<JobMaterial> {
          DL_RETURN_IF_ERROR(material_error_());
          return JobMaterial{.strategy = strategy_, .initial_state = [floats] {
                               return std::vector<float>(static_cast<size_t>(floats), 0.5f);
                             }};
        },
        .post = [this](Event event) { events_.Post(std::move(event)); }});
  }

  test::TempFolder folder_;
  std::unique_ptr<storage::BulkDatabase> bulk_ =
      *storage::BulkDatabase::Open(folder_.path(), "bulk", {.min_free_bytes = 0});
  storage::CheckpointStore checkpoints_{*bulk_};
  std::shared_ptr<const averaging::Strategy> strategy_;
  std::function<Status()> material_error_ = [] { return absl::OkStatus(); };
  EventInbox events_;
  std::unique_ptr<MergeEngine> engine_;  // last member, so that it is destroyed first
};

TEST_F(ShortageTest, CheckpointIsRetriedUntilFilesAreAvailable) {
  Start();
  engine_->Do(PrepareState{.job = "j", .round = 0});
  DL_ASSERT_OK(events_.WaitFor<StatePrepared>().status);
  {
    const NoFiles none;
    engine_->Do(WriteCheckpoint{"j", 0});
    while (engine_->shortage().count() == 0) {
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

TEST_F(ShortageTest, StateIsRetriedUntilMemoryIsAvailable) {
  int tried = 0;
  material_error_ = [&tried] {
    return ++tried < 3 ? SystemError(ENOMEM, "read the spec", "meta") : absl::OkStatus();
  };
  Start();
  engine_->Do(PrepareState{.job = "j", .round = 0});
  DL_ASSERT_OK(events_.WaitFor<StatePrepared>().status);
  EXPECT_EQ(engine_->shortage().count(), 2);
}

TEST_F(ShortageTest, MergeIsRetriedUntilMemoryIsAvailable) {
  constexpr int64_t kFloats = NoLargeBuffers::kLarge / 4;
  Start(kFloats);
  engine_->Do(PrepareState{.job = "j", .round = 0});
  DL_ASSERT_OK(events_.WaitFor<StatePrepared>().status);
  engine_->Do(OpenRound{.job = "j", .round = 1, .weights = {1}});
  FloatBuffer buffer = *FloatBuffer::Create(kFloats);
  std::ranges::fill(buffer.span(), 0.25f);
  const auto vector = std::make_shared<const FloatBuffer>(std::move(buffer));
  const averaging::Magnitudes magnitudes = *strategy_->Measure(vector->span());
  const uint64_t hash = Xxh3(std::as_bytes(vector->span()));
  const UnitId unit{"j", UnitKind::kTrain, 1, 0};
  engine_->Do(ExpectContribution{.unit = unit,
                                 .number = 1,
                                 .session = 7,
                                 .hash = hash,
                                 .bytes = 4 * kFloats,
                                 .magnitudes = magnitudes});
  DL_ASSERT_OK(engine_->Contribute(7, unit, hash, vector));
  events_.WaitFor<ContributionStaged>();
  {
    const NoLargeBuffers none;
    EXPECT_TRUE(IsShortage(FloatBuffer::Create(kFloats).status()));
    engine_->Do(Merge{
        .job = "j",
        .round = 1,
        .number = 1,
        .inputs = {{0, hash}},
        .exponents = averaging::GridFor(strategy_->layout().merged, std::span(&magnitudes, 1))});
    while (engine_->shortage().count() == 0) {
    }
  }
  DL_EXPECT_OK(events_.WaitFor<RoundMerged>().status);
}

TEST_F(ShortageTest, OtherErrorsAreReportedAtOnce) {
  material_error_ = [] { return SystemError(EIO, "read the spec", "meta"); };
  Start();
  engine_->Do(PrepareState{.job = "j", .round = 0});
  EXPECT_TRUE(absl::IsDataLoss(events_.WaitFor<StatePrepared>().status));
  EXPECT_EQ(engine_->shortage().count(), 0);
}

TEST(ShortageRetriesTest, StopEndsTheWait) {
  ShortageRetries shortage;
  Status last;
  Thread thread("waits", [&] {
    last = shortage.RetryWhenExhausted("work", [] { return SystemError(EMFILE, "open", "f"); });
  });
  while (shortage.count() < 2) {
  }
  shortage.Stop();
  thread.Join();
  EXPECT_TRUE(IsShortage(last)) << last;
}

}  // namespace
}  // namespace dl::master
