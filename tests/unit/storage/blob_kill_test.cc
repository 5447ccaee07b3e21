// A process that puts and deletes blobs is killed before each change of a file in turn: what it
// acknowledged holds, and of what was under way all has happened or nothing.
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

// Point and what a kill does to what was not synced.
class BlobKill : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  // How many steps were acknowledged; sets `ended` when the kill came too late.
  static int StepsUntil(const std::string& dir, const std::string& point, bool& ended) {
    auto child = Spawner::Real().Start({.argv = {STORAGE_WRITER, "blobs", dir, Loss()},
                                        .env = {"DL_FAIL_POINTS=" + point},
                                        .out = ChildOutput::Pipe(),
                                        .err = ChildOutput::Discard()});
    EXPECT_TRUE(child.ok()) << child.status();
    int steps = 0;
    while ((*child)->ReadLine(kPatience).ok()) ++steps;
    const auto status = (*child)->Wait(kPatience);
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
  // A made database: what making one takes is no concern of this test.
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
    if (found != NamesBehind(steps)) {
      ASSERT_LT(steps, kBlobSteps);
      EXPECT_EQ(found, NamesBehind(steps + 1));
    }
    // Whatever was half done is in nobody's way, and all of the space comes back.
    DL_ASSERT_OK(DoBlobStep(**store, 0));
    DL_ASSERT_OK((*store)->Delete((*store)->Names()));
    EXPECT_TRUE(test::FilesEndingIn(folder / "db", ".sst").empty());
  }
  EXPECT_GT(kills, 20);
}

}  // namespace
}  // namespace dl::storage
