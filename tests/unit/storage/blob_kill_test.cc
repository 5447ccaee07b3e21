// Kills a process that stores and deletes blobs before each of its file changes in turn.
// Acknowledged steps must be complete. An unacknowledged step must have happened completely or not
// at all.
#include <filesystem>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "base/process.h"
#include "gtest/gtest.h"
#include "tests/support/folder_content.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/storage/blob_steps.h"
#include "tests/unit/storage/writer_process.h"

namespace dl::storage {
namespace {

// Parameters: the fail point, and what a kill does to data that was not synced.
class BlobKill : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  // Returns the number of acknowledged steps. Sets `ended` if the process ended before the kill.
  static int StepsUntil(const std::string& dir, const std::string& point, bool& ended) {
    auto child = Spawner::Real().Start({.argv = {STORAGE_WRITER, "blobs", dir, Loss()},
                                        .env = {"DL_FAIL_POINTS=" + point},
                                        .out = ChildOutput::Pipe(),
                                        .err = ChildOutput::Discard()});
    EXPECT_TRUE(child.ok()) << child.status();
    int steps = 0;
    while ((*child)->ReadLine(kTimeout).ok()) ++steps;
    const auto status = (*child)->Wait(kTimeout);
    EXPECT_TRUE(status.ok()) << status.status();
    ended = status->signal == 0;
    EXPECT_EQ(status->code, 0);
    return steps;
  }
  static std::string Loss() { return std::get<1>(GetParam()); }

  static std::set<std::string> WholeBlobs(BlobStore& store) {
    std::set<std::string> names;
    for (const std::string& name : store.Names()) {
      DL_EXPECT_OK(store.Get(name));
      names.insert(name);
    }
    return names;
  }
};
INSTANTIATE_TEST_SUITE_P(Points, BlobKill,
                         ::testing::Combine(::testing::Values("store.write", "store.sync",
                                                              "store.entry"),
                                            ::testing::Values("keep", "drop")));

TEST_P(BlobKill, AllOrNothingOfEachStep) {
  // The database exists before the test, because its creation is not tested here.
  const test::TempFolder made;
  DL_ASSERT_OK(BulkDatabase::Open(made.path(), "bulk", {.min_free_bytes = 0}));
  int kills = 0;
  for (bool ended = false; !ended; ++kills) {
    const test::TempFolder folder;
    std::filesystem::copy(made.path(), folder.path(), std::filesystem::copy_options::recursive);
    const std::string point = absl::StrCat(std::get<0>(GetParam()), "=kill@", kills + 1);
    SCOPED_TRACE(point);
    const int steps = StepsUntil(folder.path(), point, ended);
    EXPECT_TRUE(!ended || steps == kBlobSteps) << steps;
    auto database = BulkDatabase::Open(folder.path(), "bulk", {.min_free_bytes = 0});
    ASSERT_TRUE(database.ok()) << database.status();
    auto store = BlobStore::Open(**database);
    ASSERT_TRUE(store.ok()) << store.status();
    const std::set<std::string> found = WholeBlobs(**store);
    if (found != NamesAfter(steps)) {
      ASSERT_LT(steps, kBlobSteps);
      EXPECT_EQ(found, NamesAfter(steps + 1));
    }
    // Remains of an interrupted step do not disturb later steps, and all space is freed.
    DL_ASSERT_OK(DoBlobStep(**store, 0));
    DL_ASSERT_OK((*store)->Delete((*store)->Names()));
    EXPECT_TRUE(test::FilesEndingIn(folder / "db", ".sst").empty());
  }
  EXPECT_GT(kills, 20);
}

}  // namespace
}  // namespace dl::storage
