// Salvage of a damaged meta store after accepted loss: what is kept and what is lost.
#include <filesystem>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "storage/rocks_meta_store.h"
#include "tests/support/damage.h"
#include "tests/support/folder_content.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/storage/filled_store.h"

namespace dl::storage {
namespace {

using test::Content;
using test::FilesEndingIn;
using test::FlipBit;
using test::LargestEndingIn;
using test::Snapshot;
using test::TempFolder;

// 200 batches in a table, 20 more in the log.
void FillTableAndLog(const TempFolder& folder) {
  Fill(folder.path(), 200);
  Fill(folder.path(), 220);  // opening turned the log into a table
}

TEST(MetaSalvage, FlippedBitInTableCostsOneBlock) {
  TempFolder folder;
  FillTableAndLog(folder);
  const std::string table = LargestEndingIn(folder / "db", ".sst");
  FlipBit(table, std::filesystem::file_size(table) / 2, 4);
  const auto before = Snapshot(folder.path());
  ExpectNamedLoss(RocksMetaStore::Open(folder.path(), kSmall).status(), folder.path());
  EXPECT_EQ(Snapshot(folder.path()), before);

  auto store = RocksMetaStore::Open(folder.path(), kAccept);
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ((*store)->index(), 220u);
  int lost = 0;
  for (uint64_t n = 1; n <= 220; ++n) {
    auto value = (*store)->Get(PatternKey(n));
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(value->value_or(PatternValue(n)), PatternValue(n)) << n;
    lost += !value->has_value();
  }
  EXPECT_GE(lost, 1);
  EXPECT_LT(lost, 20);
  store->reset();
  Fill(folder.path(), 230);  // continues without asking again
}

TEST(MetaSalvage, WithoutItsListOfFilesEveryBatchComesBack) {
  for (const char* name : {"CURRENT", "MANIFEST"}) {
    SCOPED_TRACE(name);
    TempFolder folder;
    FillTableAndLog(folder);
    for (const std::string& file : FilesEndingIn(folder / "db", ""))
      if (file.find(name) != std::string::npos) std::filesystem::remove(file);
    const auto before = Snapshot(folder.path());
    ExpectNamedLoss(RocksMetaStore::Open(folder.path(), kSmall).status(), folder.path());
    EXPECT_EQ(Snapshot(folder.path()), before);
    auto store = RocksMetaStore::Open(folder.path(), kAccept);
    ASSERT_TRUE(store.ok()) << store.status();
    ExpectFirst(**store, 220);
    EXPECT_TRUE(*(*store)->LostRecords());
    store->reset();
    store = RocksMetaStore::Open(folder.path(), kSmall);
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_TRUE(*(*store)->LostRecords()) << "until somebody has settled it";
    ASSERT_TRUE((*store)->SettleLoss().ok());
    store->reset();
    store = RocksMetaStore::Open(folder.path(), kSmall);
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_FALSE(*(*store)->LostRecords());
    for (const auto& [file, content] : before) {
      if (file.find("/db/0") == std::string::npos) continue;
      const std::string aside =
          folder / "lost-1/db/" + std::filesystem::path(file).filename().string();
      EXPECT_TRUE(Content(aside) == content) << aside;
    }
  }
}

TEST(MetaSalvage, UnreadableStoreStaysUnchanged) {
  TempFolder folder;
  FillTableAndLog(folder);
  std::filesystem::remove(LargestEndingIn(folder / "db", ".sst"));
  const auto before = Snapshot(folder.path());
  const auto refused = RocksMetaStore::Open(folder.path(), kAccept);
  EXPECT_TRUE(absl::IsDataLoss(refused.status())) << refused.status();
  EXPECT_EQ(Snapshot(folder.path()), before);
}

TEST(MetaSalvage, KillLeavesOldOrNewDatabase) {
  TempFolder folder;
  Fill(folder.path(), 10);
  std::filesystem::copy(folder / "db", folder / "rebuilding");  // killed while rebuilding
  {
    auto store = RocksMetaStore::Open(folder.path(), kSmall);
    ASSERT_TRUE(store.ok()) << store.status();
    ExpectFirst(**store, 10);
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "rebuilding"));
  std::filesystem::rename(folder / "db", folder / "rebuilt");  // between the last two renames
  auto store = RocksMetaStore::Open(folder.path(), kSmall);
  ASSERT_TRUE(store.ok()) << store.status();
  ExpectFirst(**store, 10);
}

}  // namespace
}  // namespace dl::storage
