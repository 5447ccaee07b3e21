#include "storage/rocks_meta_store.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "storage/free_space.h"
#include "tests/support/damage.h"
#include "tests/support/folder_content.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/storage/filled_store.h"

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

TEST(RocksMetaStore, BatchesSurviveReopen) {
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

TEST(RocksMetaStore, DeletesOnlyPrefixAndFreesSpace) {
  TempFolder folder;
  const auto bytes = [&] {
    uintmax_t sum = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
      if (entry.path().extension() == ".sst") sum += entry.file_size();
    }
    return sum;
  };
  {
    auto store = RocksMetaStore::Open(folder.path(), kSmall);
    ASSERT_TRUE(store.ok()) << store.status();
    MetaBatch batch;
    for (int i = 0; i < 1000; ++i) batch.Put("log/a/" + std::to_string(i), std::string(1000, 'x'));
    batch.Put("log/a", "before");
    batch.Put("log/a0", "behind");
    batch.Put("log/b/1", "beside");
    ASSERT_TRUE((*store)->Write(batch).ok());
    ASSERT_TRUE((*store)->Reclaim("log/").ok());
    EXPECT_GT(bytes(), 900'000u);
    MetaBatch deleted;
    deleted.DeletePrefix("log/a/");
    deleted.Put("log/a/new", "later in the batch");
    ASSERT_TRUE((*store)->Write(deleted).ok());
    ASSERT_TRUE((*store)->Reclaim("log/a/").ok());
    EXPECT_LT(bytes(), 100'000u);
  }
  // The part of the log that is read at start contains such a batch too.
  for (int i = 0; i < 2; ++i) {
    auto store = RocksMetaStore::Open(folder.path(), kSmall);
    ASSERT_TRUE(store.ok()) << store.status();
    std::string left;
    EXPECT_TRUE((*store)
                    ->Scan("log/",
                           [&](std::string_view key, std::string_view) {
                             left += std::string(key) + " ";
                             return absl::OkStatus();
                           })
                    .ok());
    EXPECT_EQ(left, i == 0 ? "log/a log/a/new log/a0 log/b/1 " : "log/a log/a0 log/b/1 ");
    MetaBatch rest;
    rest.DeletePrefix("log/a/");  // only in the log at the next open
    ASSERT_TRUE((*store)->Write(rest).ok());
  }
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

TEST(RocksMetaStore, FlippedBitInLogIsNamed) {
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
    Fill(folder.path(), 50);  // continues without asking again
  }
}

TEST(RocksMetaStore, MissingOrShortLogIsDataLoss) {
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

TEST(RocksMetaStore, TornUnacknowledgedBatchIsNoLoss) {
  // An interrupted write may leave half a record after the last acknowledged batch, or a complete
  // record with a wrong checksum.
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

// Slots are at 0, 4096, 8192 and 12288. Batch 10 uses the first and the third.
constexpr int64_t kSlots[] = {0, 4096, 8192, 12288};
constexpr int64_t kOldMarkBytes = 4096 + 40;  // earlier versions: two slots

TEST(RocksMetaStore, OneBadSlotOfMarkIsTolerated) {
  TempFolder folder;
  Fill(folder.path(), 10);
  const std::string mark = folder / "MARK", intact = Content(mark);
  for (const int64_t slot : kSlots) {
    for (const int64_t byte : {0, 9, 12, 30, 39}) {
      WriteContent(mark, intact);
      FlipBit(mark, slot + byte, 4);
      auto store = RocksMetaStore::Open(folder.path(), kSmall);
      ASSERT_TRUE(store.ok()) << slot + byte << store.status();
      EXPECT_EQ((*store)->index(), 10u);
    }
  }
  // Without half of the slots, it is unknown whether batch 11 was acknowledged.
  WriteContent(mark, intact);
  for (const int64_t slot : {kSlots[1], kSlots[3]}) FlipBit(mark, slot + 8, 4);
  ExpectNamedLoss(RocksMetaStore::Open(folder.path(), kSmall).status(), folder.path());
  // The other half may be torn by a power failure while batch 10 was written. The log has that
  // batch.
  WriteContent(mark, intact);
  for (const int64_t slot : {kSlots[0], kSlots[2]}) FlipBit(mark, slot + 8, 4);
  EXPECT_TRUE(RocksMetaStore::Open(folder.path(), kSmall).ok());
  WriteContent(mark, intact);
  for (const int64_t slot : kSlots) FlipBit(mark, slot + 16, 4);
  ExpectNamedLoss(RocksMetaStore::Open(folder.path(), kSmall).status(), folder.path());
  std::filesystem::remove(mark);
  ExpectNamedLoss(RocksMetaStore::Open(folder.path(), kSmall).status(), folder.path());
}

// Cuts the last batch off the log.
void CutLog(const TempFolder& folder) {
  const std::string log = LargestEndingIn(folder / "db", ".log");
  std::filesystem::resize_file(log, std::filesystem::file_size(log) - 1);
}

TEST(RocksMetaStore, DamagedNewestSlotDoesNotHideShortLog) {
  for (const int64_t slot : {kSlots[0], kSlots[2]}) {
    TempFolder folder;
    Fill(folder.path(), 10);
    FlipBit(folder / "MARK", slot + 20, 1);
    CutLog(folder);
    const auto refused = RocksMetaStore::Open(folder.path(), kSmall);
    ExpectNamedLoss(refused.status(), folder.path());
    EXPECT_THAT(std::string(refused.status().message()), HasSubstr("high-water mark says 10"));
  }
}

TEST(RocksMetaStore, MarkOfEarlierProgramIsReadAndExtended) {
  TempFolder folder;
  const std::string mark = folder / "MARK";
  for (uint64_t count : {10, 11}) {
    Fill(folder.path(), count);
    std::filesystem::resize_file(mark, kOldMarkBytes);
    auto store = RocksMetaStore::Open(folder.path(), kSmall);
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_EQ((*store)->index(), count);
    EXPECT_GT(std::filesystem::file_size(mark), static_cast<uintmax_t>(kOldMarkBytes));
  }
}

TEST(RocksMetaStore, DamagedEarlierMarkDoesNotHideShortLog) {
  TempFolder folder;
  Fill(folder.path(), 10);
  const std::string mark = folder / "MARK";
  std::filesystem::resize_file(mark, kOldMarkBytes);
  FlipBit(mark, kSlots[0] + 20, 1);
  const std::string log = LargestEndingIn(folder / "db", ".log"), whole = Content(log);
  CutLog(folder);
  const auto refused = RocksMetaStore::Open(folder.path(), kSmall);
  ExpectNamedLoss(refused.status(), folder.path());
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("may be missing"));

  // The same slot, torn while it was written: the batch is in the log.
  WriteContent(log, whole);
  auto store = RocksMetaStore::Open(folder.path(), kSmall);
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ((*store)->index(), 10u);
}

TEST(RocksMetaStore, MissingDatabaseIsDataLoss) {
  TempFolder folder;
  Fill(folder.path(), 10);
  std::filesystem::remove_all(folder / "db");
  ExpectNamedLoss(RocksMetaStore::Open(folder.path(), kSmall).status(), folder.path());
}

TEST(RocksMetaStore, FolderOfStoreGetsNoNewDatabase) {
  RocksMetaStoreOptions there = kSmall;
  there.must_exist = true;
  for (const bool emptied : {false, true}) {
    TempFolder folder;
    const std::string dir = folder / "meta";
    if (emptied) std::filesystem::create_directory(dir);
    for (const bool accept : {false, true}) {
      there.accept_loss = accept;
      const auto refused = RocksMetaStore::Open(dir, there);
      EXPECT_TRUE(absl::IsDataLoss(refused.status())) << refused.status();
      EXPECT_THAT(std::string(refused.status().message()), HasSubstr("missing or empty"));
    }
    EXPECT_EQ(std::filesystem::exists(dir), emptied);
    EXPECT_TRUE(Snapshot(folder.path()).empty());
  }
}

TEST(RocksMetaStore, NewerSchemaIsRefusedUnchanged) {
  TempFolder folder;
  Fill(folder.path(), 3);
  WriteContent(folder / "FORMAT", "paravane meta 5\n");
  const auto before = Snapshot(folder.path());
  const auto refused = RocksMetaStore::Open(folder.path(), kSmall);
  EXPECT_TRUE(absl::IsUnimplemented(refused.status())) << refused.status();
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("schema 5"));
  EXPECT_EQ(Snapshot(folder.path()), before);

  WriteContent(folder / "FORMAT", "paravane bulk 1\n");
  EXPECT_TRUE(absl::IsFailedPrecondition(RocksMetaStore::Open(folder.path(), kSmall).status()));
  WriteContent(folder / "FORMAT", "nonsense");
  EXPECT_TRUE(absl::IsDataLoss(RocksMetaStore::Open(folder.path(), kSmall).status()));
}

TEST(RocksMetaStore, SchemasBeforeAreRefusedAndLeftAlone) {
  TempFolder folder;
  Fill(folder.path(), 3);
  for (const char* before : {"1", "2", "3"}) {
    WriteContent(folder / "FORMAT", absl::StrCat("paravane meta ", before, "\n"));
    const auto content = Snapshot(folder.path());
    for (const RocksMetaStoreOptions& options : {kSmall, kAccept}) {
      EXPECT_THAT(
          RocksMetaStore::Open(folder.path(), options).status(),
          test::IsError(absl::StatusCode::kUnimplemented, absl::StrCat("has schema ", before)));
      EXPECT_EQ(Snapshot(folder.path()), content);
    }
  }
}

TEST(RocksMetaStore, MissingFormatIsRefused) {
  TempFolder folder;
  Fill(folder.path(), 3);
  std::filesystem::remove(folder / "FORMAT");
  const auto before = Snapshot(folder.path());
  for (const RocksMetaStoreOptions& options : {kSmall, kAccept}) {
    const auto refused = RocksMetaStore::Open(folder.path(), options);
    EXPECT_TRUE(absl::IsDataLoss(refused.status())) << refused.status();
    EXPECT_THAT(ErrorRemedy(refused.status()), HasSubstr("\"paravane meta 4\""));
    EXPECT_EQ(Snapshot(folder.path()), before);
  }
}

TEST(RocksMetaStore, SecondOpenNamesHolder) {
  TempFolder folder;
  auto store = RocksMetaStore::Open(folder.path(), kSmall);
  ASSERT_TRUE(store.ok());
  const auto second = RocksMetaStore::Open(folder.path(), kSmall);
  EXPECT_TRUE(absl::IsFailedPrecondition(second.status())) << second.status();
  EXPECT_EQ(ErrorWhere(second.status()), folder.path());
  store->reset();
  EXPECT_TRUE(RocksMetaStore::Open(folder.path(), kSmall).ok());
}

TEST(RocksMetaStore, FullDiskRefusesBatchesWithoutLoss) {
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
  // A smaller batch may still fit, because a background flush frees logs. Takes the rest of the
  // disk until the flush is over.
  status = absl::OkStatus();
  for (int i = 0; i < 100 && status.ok(); ++i) {
    const int64_t spare = *FreeBytes(disk.path()) - (1 << 20);
    // The flush may use the free space concurrently.
    if (spare > 0) test::FillDisk(disk.path() + "/more-" + std::to_string(i), spare);
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
