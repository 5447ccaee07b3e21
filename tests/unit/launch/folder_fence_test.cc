#include "launch/daemons/folder_fence.h"

#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "master/master.h"
#include "storage/rocks_meta_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::launch {
namespace {

using dl::test::IsError;

class FolderFenceTest : public testing::Test {
 protected:
  // Uses a short interval between beats. The silence is so long that only a stopped machine causes
  // it.
  StatusOr<std::unique_ptr<FolderFence>> TakeOn(const std::string& host,
                                                Duration silence = std::chrono::seconds(20)) {
    return FolderFence::Take({.data_dir = folder_.path(),
                              .host = host,
                              .beat = std::chrono::milliseconds(20),
                              .silence = silence,
                              .on_lost = [this](const Status& why) {
                                MutexLock lock(mutex_);
                                lost_ = why;
                                changed_.NotifyAll();
                              }});
  }
  // Repeats `take_over`, because a concurrent beat may overwrite the file.
  Status WaitUntilLost(const std::function<void()>& take_over) {
    for (;;) {
      take_over();
      MutexLock lock(mutex_);
      if (lost_.ok()) changed_.WaitFor(mutex_, std::chrono::milliseconds(50));
      if (!lost_.ok()) return lost_;
    }
  }
  std::string File() const { return folder_ / "fence"; }
  // Returns the records of the master in a data folder.
  static std::map<std::string, std::string> Records(const std::string& data_dir) {
    std::map<std::string, std::string> records;
    const auto store = storage::RocksMetaStore::ReadAll(data_dir + "/meta");
    DL_EXPECT_OK(store);
    if (!store.ok()) return records;
    DL_EXPECT_OK((*store)->Scan("", [&](std::string_view key, std::string_view value) {
      records.emplace(key, value);
      return absl::OkStatus();
    }));
    return records;
  }

  test::TempFolder folder_;
  Mutex mutex_;
  CondVar changed_;
  Status lost_ DL_GUARDED_BY(mutex_);
};

TEST_F(FolderFenceTest, FolderInUseElsewhereIsRefused) {
  const auto first = TakeOn("node1");
  DL_ASSERT_OK(first);
  EXPECT_THAT(TakeOn("node2"),
              IsError(absl::StatusCode::kFailedPrecondition, "in use on node1, but its lock"));
}

TEST_F(FolderFenceTest, ReleasedFolderIsTakenAtOnce) {
  DL_ASSERT_OK(TakeOn("node1"));
  EXPECT_FALSE(ReadFence(folder_.path()).has_value());
  DL_EXPECT_OK(TakeOn("node2", std::chrono::hours(1)));
}

TEST_F(FolderFenceTest, SilentFolderIsTakenAfterTimeout) {
  std::ofstream(File()) << R"({"host":"node1","token":"7","beat":3})";
  const auto second = TakeOn("node2", std::chrono::milliseconds(100));
  DL_ASSERT_OK(second);
  EXPECT_EQ(ReadFence(folder_.path())->host, "node2");
}

TEST_F(FolderFenceTest, SameMachineTakesFolderAtOnce) {
  std::ofstream(File()) << R"({"host":"node1","token":"7","beat":3})";
  DL_EXPECT_OK(TakeOn("node1", std::chrono::hours(1)));
}

TEST_F(FolderFenceTest, CheckFailsOnceFolderIsTaken) {
  auto fence = FolderFence::Take({.data_dir = folder_.path(),
                                  .host = "node1",
                                  .beat = std::chrono::hours(1),
                                  .on_lost = [](const Status&) {}});
  DL_ASSERT_OK(fence);
  DL_EXPECT_OK((*fence)->Check());
  std::ofstream(File(), std::ios::trunc) << R"({"host":"node2","token":"8","beat":1})";
  EXPECT_THAT((*fence)->Check(), IsError(absl::StatusCode::kFailedPrecondition, "in use on node2"));
}

TEST_F(FolderFenceTest, MasterWritesNothingIntoTakenFolder) {
  const auto open = [&](const Status& may) {
    return master::Master::Open({.data_dir = folder_ / "D", .may_write = [may] { return may; }})
        .status();
  };
  DL_EXPECT_OK(open(absl::OkStatus()));
  const auto written = Records(folder_ / "D");
  EXPECT_THAT(open(FailedPrecondition({.message = "in use on node2"})),
              IsError(absl::StatusCode::kFailedPrecondition, "in use on node2"));
  EXPECT_EQ(Records(folder_ / "D"), written);
  DL_EXPECT_OK(open(absl::OkStatus()));
  EXPECT_NE(Records(folder_ / "D"), written) << "each start of a master writes its term";
}

TEST_F(FolderFenceTest, LostFolderIsReportedAndFenceKept) {
  auto first = TakeOn("node1");
  DL_ASSERT_OK(first);
  // The process was stopped for longer than the silence, and another machine took over.
  const auto take_over = [&] {
    std::ofstream(File(), std::ios::trunc) << R"({"host":"node2","token":"8","beat":1})";
  };
  EXPECT_THAT(WaitUntilLost(take_over),
              IsError(absl::StatusCode::kFailedPrecondition, "in use on node2"));
  first->reset();
  EXPECT_EQ(ReadFence(folder_.path())->token, "8");
}

}  // namespace
}  // namespace dl::launch
