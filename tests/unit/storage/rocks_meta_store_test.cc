#include "storage/rocks_meta_store.h"

#include <filesystem>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "storage/free_space.h"
#include "tests/support/damage.h"
#include "tests/support/folder_content.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/storage/written_pattern.h"

namespace dl::storage {
namespace {

using test::Content;
using test::FlipBit;
using test::LargestEndingIn;
using test::SmallDisk;
using test::Snapshot;
using test::TempFolder;
using test::WriteContent;
using ::testing::HasSubstr;

constexpr RocksMetaStoreOptions kSmall{.min_free_bytes = 0, .ballast_bytes = 0};

Status PutOne(MetaStore& store, uint64_t n) {
  MetaBatch batch;
  batch.Put(PatternKey(n), PatternValue(n));
  return store.Write(batch);
}

// A store with `count` batches, closed.
void Fill(const std::string& dir, uint64_t count, RocksMetaStoreOptions options = kSmall) {
  auto store = RocksMetaStore::Open(dir, options);
  ASSERT_TRUE(store.ok()) << store.status();
  for (uint64_t n = (*store)->index() + 1; n <= count; ++n) ASSERT_TRUE(PutOne(**store, n).ok());
}

void ExpectFirst(MetaStore& store, uint64_t count) {
  EXPECT_EQ(store.index(), count);
  for (uint64_t n = 1; n <= count; ++n) {
    auto value = store.Get(PatternKey(n));
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(*value, PatternValue(n)) << n;
  }
}

void ExpectNamedLoss(const Status& status, const std::string& dir) {
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_EQ(ErrorWhere(status), dir);
  EXPECT_THAT(ErrorRemedy(status), HasSubstr("--accept-loss"));
}

TEST(RocksMetaStore, KeepsBatchesOverReopen) {
  TempFolder folder;
  Fill(folder / "meta", 20);
  Fill(folder / "meta", 30);
  auto store = RocksMetaStore::Open(folder / "meta", kSmall);
  ASSERT_TRUE(store.ok()) << store.status();
  ExpectFirst(**store, 30);
}

TEST(RocksMetaStore, ScansAPrefixInOrderAndHidesItsOwnKeys) {
  TempFolder folder;
  auto store = RocksMetaStore::Open(folder.path(), kSmall);
  ASSERT_TRUE(store.ok()) << store.status();
  MetaBatch batch;
  for (const char* key : {"b/2", "a/1", "b/1", "c", "b/3"}) batch.Put(key, key);
  batch.Delete("b/3");
  ASSERT_TRUE((*store)->Write(batch).ok());
  const auto keys = [&](std::string_view prefix) {
    std::string found;
    EXPECT_TRUE((*store)
                    ->Scan(prefix,
                           [&](std::string_view key, std::string_view value) {
                             EXPECT_EQ(key, value);
                             found += std::string(key) + " ";
                             return absl::OkStatus();
                           })
                    .ok());
    return found;
  };
  EXPECT_EQ(keys("b/"), "b/1 b/2 ");
  EXPECT_EQ(keys(""), "a/1 b/1 b/2 c ");
  EXPECT_EQ(*(*store)->Get("b/3"), std::nullopt);
}

TEST(RocksMetaStore, RefusesReservedKeysAndStaysAlive) {
  TempFolder folder;
  auto store = RocksMetaStore::Open(folder.path(), kSmall);
  ASSERT_TRUE(store.ok()) << store.status();
  MetaBatch batch;
  batch.Put("fine", "1");
  batch.Put(std::string("\0index", 6), "x");
  EXPECT_TRUE(absl::IsInvalidArgument((*store)->Write(batch)));
  EXPECT_EQ(*(*store)->Get("fine"), std::nullopt);
  EXPECT_TRUE(PutOne(**store, 1).ok());
}

TEST(RocksMetaStore, AFlippedBitInTheLogIsNamedAndChangesNothing) {
  for (const double place : {0.02, 0.5, 0.98}) {
    TempFolder folder;
    Fill(folder.path(), 40);
    const std::string log = LargestEndingIn(folder / "db", ".log");
    const int64_t size = std::filesystem::file_size(log);
    ASSERT_GT(size, 30'000);
    FlipBit(log, static_cast<int64_t>(place * size), 4);
    const std::string damaged = Content(log);

    const auto refused = RocksMetaStore::Open(folder.path(), kSmall);
    ExpectNamedLoss(refused.status(), folder.path());
    EXPECT_THAT(std::string(refused.status().message()), HasSubstr("high-water mark says 40"))
        << place;
    EXPECT_EQ(Content(log), damaged);

    RocksMetaStoreOptions accept = kSmall;
    accept.accept_loss = true;
    auto store = RocksMetaStore::Open(folder.path(), accept);
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_LT((*store)->index(), 40u);
    ExpectFirst(**store, (*store)->index());
    store->reset();
    Fill(folder.path(), 50);  // goes on without being asked again
  }
}

TEST(RocksMetaStore, AMissingOrShortLogIsALoss) {
  for (const bool cut : {false, true}) {
    TempFolder folder;
    Fill(folder.path(), 10);
    const std::string log = LargestEndingIn(folder / "db", ".log");
    if (cut)
      std::filesystem::resize_file(log, std::filesystem::file_size(log) - 1);
    else
      std::filesystem::remove(log);
    ExpectNamedLoss(RocksMetaStore::Open(folder.path(), kSmall).status(), folder.path());
  }
}

TEST(RocksMetaStore, ATornUnacknowledgedBatchIsNoLoss) {
  // What a cut write may leave behind the last acknowledged batch: half a record, and a whole one
  // with a wrong checksum.
  for (const bool half : {true, false}) {
    TempFolder folder;
    Fill(folder.path(), 10);
    const std::string log = LargestEndingIn(folder / "db", ".log");
    const std::string tail =
        half ? Content(log).substr(0, 30) : std::string("\x11\x22\x33\x44\x07\x00\x01garbage", 14);
    WriteContent(log, Content(log) + tail);
    auto store = RocksMetaStore::Open(folder.path(), kSmall);
    ASSERT_TRUE(store.ok()) << store.status();
    ExpectFirst(**store, 10);
    store->reset();
    Fill(folder.path(), 12);
  }
}

TEST(RocksMetaStore, OneBadSlotOfTheMarkIsToleratedTwoAreNot) {
  TempFolder folder;
  Fill(folder.path(), 10);
  const std::string mark = folder / "MARK", intact = Content(mark);
  for (const int64_t offset : {0, 9, 30, 39, 4096, 4096 + 12}) {
    WriteContent(mark, intact);
    FlipBit(mark, offset, 4);
    auto store = RocksMetaStore::Open(folder.path(), kSmall);
    ASSERT_TRUE(store.ok()) << offset << store.status();
    EXPECT_EQ((*store)->index(), 10u);
  }
  WriteContent(mark, intact);
  FlipBit(mark, 8, 4);
  FlipBit(mark, 4096 + 8, 4);
  ExpectNamedLoss(RocksMetaStore::Open(folder.path(), kSmall).status(), folder.path());
  std::filesystem::remove(mark);
  ExpectNamedLoss(RocksMetaStore::Open(folder.path(), kSmall).status(), folder.path());
}

TEST(RocksMetaStore, AMissingDatabaseIsALoss) {
  TempFolder folder;
  Fill(folder.path(), 10);
  std::filesystem::remove_all(folder / "db");
  ExpectNamedLoss(RocksMetaStore::Open(folder.path(), kSmall).status(), folder.path());
}

TEST(RocksMetaStore, AFlippedBitInATableIsDataLoss) {
  TempFolder folder;
  Fill(folder.path(), 200);
  Fill(folder.path(), 201);  // the open before it turned the log into a table
  const std::string table = LargestEndingIn(folder / "db", ".sst");
  FlipBit(table, std::filesystem::file_size(table) / 2, 4);
  auto store = RocksMetaStore::Open(folder.path(), kSmall);
  if (!store.ok()) {
    EXPECT_TRUE(absl::IsDataLoss(store.status())) << store.status();
    return;
  }
  const Status scanned =
      (*store)->Scan("", [](std::string_view, std::string_view) { return absl::OkStatus(); });
  EXPECT_TRUE(absl::IsDataLoss(scanned)) << scanned;
}

TEST(RocksMetaStore, ANewerSchemaIsRefusedUntouched) {
  TempFolder folder;
  Fill(folder.path(), 3);
  WriteContent(folder / "FORMAT", "paravane meta 2\n");
  const auto before = Snapshot(folder.path());
  const auto refused = RocksMetaStore::Open(folder.path(), kSmall);
  EXPECT_TRUE(absl::IsUnimplemented(refused.status())) << refused.status();
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("schema 2"));
  EXPECT_EQ(Snapshot(folder.path()), before);

  WriteContent(folder / "FORMAT", "paravane bulk 1\n");
  EXPECT_TRUE(absl::IsFailedPrecondition(RocksMetaStore::Open(folder.path(), kSmall).status()));
  WriteContent(folder / "FORMAT", "nonsense");
  EXPECT_TRUE(absl::IsDataLoss(RocksMetaStore::Open(folder.path(), kSmall).status()));
}

TEST(RocksMetaStore, ASecondOpenIsRefusedByName) {
  TempFolder folder;
  auto store = RocksMetaStore::Open(folder.path(), kSmall);
  ASSERT_TRUE(store.ok());
  const auto second = RocksMetaStore::Open(folder.path(), kSmall);
  EXPECT_TRUE(absl::IsFailedPrecondition(second.status())) << second.status();
  EXPECT_EQ(ErrorWhere(second.status()), folder.path());
  store->reset();
  EXPECT_TRUE(RocksMetaStore::Open(folder.path(), kSmall).ok());
}

TEST(RocksMetaStore, AFullDiskRefusesBatchesAndLosesNothing) {
  SmallDisk disk(24 << 20);
  if (!disk.refused().empty()) GTEST_SKIP() << disk.refused();
  const RocksMetaStoreOptions options{
      .min_free_bytes = 2 << 20, .ballast_bytes = 2 << 20, .write_buffer_bytes = 256 << 10};
  auto store = RocksMetaStore::Open(disk.path() + "/meta", options);
  ASSERT_TRUE(store.ok()) << store.status();
  WriteContent(disk.path() + "/filler", std::string(14 << 20, 'x'));
  uint64_t acknowledged = 0;
  Status status;
  for (uint64_t n = 1; status.ok() && n < 20'000; ++n) {
    status = PutOne(**store, n);
    if (status.ok()) acknowledged = n;
  }
  ASSERT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_GT(acknowledged, 10u);
  ExpectFirst(**store, acknowledged);

  MetaBatch reason;
  reason.Put("reason", "disk full");
  // A smaller batch may still fit; a flush in the background gives logs back. The rest is taken,
  // until that is over.
  status = absl::OkStatus();
  for (int i = 0; i < 100 && status.ok(); ++i) {
    const int64_t spare = *FreeBytes(disk.path()) - (1 << 20);
    if (spare > 0)
      WriteContent(disk.path() + "/more-" + std::to_string(i), std::string(spare, 'x'));
    status = (*store)->Write(reason);
  }
  ASSERT_TRUE(absl::IsResourceExhausted(status)) << status;
  reason.MarkEssential();
  EXPECT_TRUE((*store)->Write(reason).ok());
  EXPECT_FALSE(std::filesystem::exists(disk.path() + "/meta/BALLAST"));

  std::filesystem::remove(disk.path() + "/filler");
  EXPECT_TRUE(PutOne(**store, acknowledged + 1).ok());
  EXPECT_TRUE(std::filesystem::exists(disk.path() + "/meta/BALLAST"));
  store->reset();
  store = RocksMetaStore::Open(disk.path() + "/meta", options);
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ(*(*store)->Get("reason"), "disk full");
  EXPECT_EQ(*(*store)->Get(PatternKey(acknowledged + 1)), PatternValue(acknowledged + 1));
}

}  // namespace
}  // namespace dl::storage
