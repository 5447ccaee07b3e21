#include "storage/blob_store.h"

#include "base/checksum.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/damage.h"
#include "tests/support/folder_content.h"
#include "tests/support/temp_folder.h"

namespace dl::storage {
namespace {

using test::Content;
using test::FlipBit;
using test::LargestEndingIn;
using test::TempFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr BulkOptions kSmallBlobs{.min_free_bytes = 0};

std::string Content(int n) {
  std::string text;
  for (int i = 0; text.size() < 100'000; ++i)
    text += Sha256Hex(std::to_string(n) + "/" + std::to_string(i));
  return text;
}
std::span<const std::byte> Bytes(const std::string& text) { return std::as_bytes(std::span(text)); }
Blob BlobOf(const std::string& content) {
  return {.sha256 = Sha256Hex(content), .bytes = Bytes(content)};
}

std::unique_ptr<BulkDatabase> OpenBulk(const std::string& dir) {
  auto opened = BulkDatabase::Open(dir, "bulk", kSmallBlobs);
  EXPECT_TRUE(opened.ok()) << opened.status();
  return std::move(*opened);
}

TEST(BlobStore, StoresByNameAndListsMissing) {
  TempFolder folder;
  const std::string one = Content(1), two = Content(2), empty;
  {
    const auto database = OpenBulk(folder.path());
    const auto opened = BlobStore::Open(*database);
    ASSERT_TRUE(opened.ok()) << opened.status();
    BlobStore& store = **opened;
    const std::vector<Blob> blobs = {BlobOf(two), BlobOf(one), BlobOf(two), BlobOf(empty)};
    ASSERT_TRUE(store.Put(blobs).ok());
    ASSERT_TRUE(store.Put(blobs).ok());
  }
  const auto database = OpenBulk(folder.path());
  const auto opened = BlobStore::Open(*database);
  ASSERT_TRUE(opened.ok()) << opened.status();
  BlobStore& store = **opened;
  const std::vector<std::string> names = {Sha256Hex("x"), Sha256Hex(one), Sha256Hex("a"),
                                          Sha256Hex(two), Sha256Hex(empty)};
  EXPECT_THAT(*store.Missing(names), ElementsAre(names[0], names[2]));
  EXPECT_EQ(*store.Get(Sha256Hex(one)), one);
  EXPECT_EQ(*store.Get(Sha256Hex(two)), two);
  EXPECT_EQ(*store.Get(Sha256Hex(empty)), empty);
  EXPECT_TRUE(absl::IsNotFound(store.Get(names[0]).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(store.Get("../etc").status()));
}

TEST(BlobStore, RefusesContentUnlikeItsName) {
  TempFolder folder;
  const auto database = OpenBulk(folder.path());
  const auto opened = BlobStore::Open(*database);
  ASSERT_TRUE(opened.ok()) << opened.status();
  BlobStore& store = **opened;
  const std::string good = Content(1), bad = Content(2);
  const std::vector<Blob> blobs = {BlobOf(good),
                                   {.sha256 = Sha256Hex("other"), .bytes = Bytes(bad)}};
  const Status refused = store.Put(blobs);
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  EXPECT_THAT(ErrorWhere(refused), HasSubstr(Sha256Hex("other")));
  EXPECT_EQ(store.Missing(std::vector<std::string>{Sha256Hex(good)})->size(), 1u);
}

TEST(BlobStore, DamagedBlobIsNamedAndReplaced) {
  TempFolder folder;
  const std::string content = Content(3);
  {
    const auto database = OpenBulk(folder.path());
    ASSERT_TRUE((*BlobStore::Open(*database))->Put(std::vector<Blob>{BlobOf(content)}).ok());
  }
  FlipBit(LargestEndingIn(folder / "db", ".sst"), 50'000, 4);
  const std::vector<std::string> name = {Sha256Hex(content)};
  {
    const auto database = OpenBulk(folder.path());
    const auto opened = BlobStore::Open(*database);
    ASSERT_TRUE(opened.ok()) << opened.status();
    BlobStore& store = **opened;
    const Status damaged = store.Get(name[0]).status();
    EXPECT_TRUE(absl::IsDataLoss(damaged)) << damaged;
    EXPECT_THAT(std::string(damaged.message()), HasSubstr(name[0]));
  }
  // Uploading a missing blob replaces it, also after the store was reopened.
  const auto database = OpenBulk(folder.path());
  const auto opened = BlobStore::Open(*database);
  ASSERT_TRUE(opened.ok()) << opened.status();
  BlobStore& store = **opened;
  EXPECT_EQ(*store.Missing(name), name);
  const Status replaced = store.Put(std::vector<Blob>{BlobOf(content)});
  ASSERT_TRUE(replaced.ok()) << replaced;
  EXPECT_EQ(*store.Get(Sha256Hex(content)), content);
  EXPECT_TRUE(store.Missing(name)->empty());
}

// Larger than a piece, and not a multiple of a piece.
std::string LargeContent() {
  std::string text(limits::kChunkBytes * 2 + 12'345, '\0');
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * i >> 7);
  return text;
}

TEST(BlobStore, ReadsRangeOfLargeBlob) {
  TempFolder folder;
  const std::string large = LargeContent(), small = Content(1), name = Sha256Hex(large);
  const auto total = static_cast<int64_t>(large.size());
  const auto database = OpenBulk(folder.path());
  const auto opened = BlobStore::Open(*database);
  ASSERT_TRUE(opened.ok()) << opened.status();
  BlobStore& store = **opened;
  ASSERT_TRUE(store.Put(std::vector<Blob>{BlobOf(large), BlobOf(small)}).ok());
  EXPECT_EQ(*store.Get(name), large);
  EXPECT_EQ(store.Missing(std::vector<std::string>{name, Sha256Hex(small)})->size(), 0u);
  const int64_t piece = limits::kChunkBytes;
  for (const auto& [offset, length] : std::vector<std::pair<int64_t, int64_t>>{{0, 1},
                                                                               {0, piece},
                                                                               {piece - 3, 7},
                                                                               {piece, piece},
                                                                               {2 * piece, piece},
                                                                               {total, 5},
                                                                               {total - 1, 1},
                                                                               {3, 2 * piece},
                                                                               {9, 0}}) {
    const auto range = store.GetRange(name, offset, length);
    ASSERT_TRUE(range.ok()) << range.status();
    EXPECT_EQ(range->total, total);
    EXPECT_TRUE(range->bytes == large.substr(offset, length)) << offset << " " << length;
  }
  EXPECT_EQ(store.GetRange(Sha256Hex(small), 10, 20)->bytes, small.substr(10, 20));
  EXPECT_EQ(store.GetRange(Sha256Hex(small), 10, 20)->total, static_cast<int64_t>(small.size()));
  EXPECT_TRUE(absl::IsInvalidArgument(store.GetRange(name, total + 1, 1).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(store.GetRange(Sha256Hex(small), -1, 1).status()));
  EXPECT_TRUE(absl::IsNotFound(store.GetRange(Sha256Hex("x"), 0, 1).status()));
}

TEST(BlobStore, ReadsLargeBlobOfOneValue) {
  TempFolder folder;
  const std::string large = LargeContent(), name = Sha256Hex(large);
  const auto database = OpenBulk(folder.path());
  ASSERT_TRUE(database
                  ->Ingest(static_cast<int64_t>(large.size()),
                           [&](TableWriter& table) { return table.Add("a" + name, Bytes(large)); })
                  .ok());
  const auto opened = BlobStore::Open(*database);
  ASSERT_TRUE(opened.ok()) << opened.status();
  BlobStore& store = **opened;
  EXPECT_EQ(*store.Get(name), large);
  EXPECT_EQ(store.GetRange(name, 5'000'000, 10)->bytes, large.substr(5'000'000, 10));
}

TEST(BlobStore, DamagedPieceIsNamedAndReplaced) {
  TempFolder folder;
  const std::string large = LargeContent(), name = Sha256Hex(large);
  {
    const auto database = OpenBulk(folder.path());
    ASSERT_TRUE((*BlobStore::Open(*database))->Put(std::vector<Blob>{BlobOf(large)}).ok());
  }
  FlipBit(LargestEndingIn(folder / "db", ".sst"), limits::kChunkBytes + 50'000, 4);
  const auto database = OpenBulk(folder.path());
  const auto opened = BlobStore::Open(*database);
  ASSERT_TRUE(opened.ok()) << opened.status();
  BlobStore& store = **opened;
  EXPECT_TRUE(store.GetRange(name, 0, 100).ok());
  EXPECT_TRUE(store.Missing(std::vector<std::string>{name})->empty());
  const Status damaged = store.GetRange(name, limits::kChunkBytes, 100).status();
  EXPECT_TRUE(absl::IsDataLoss(damaged)) << damaged;
  EXPECT_THAT(std::string(damaged.message()), HasSubstr(name));
  EXPECT_THAT(*store.Missing(std::vector<std::string>{name}), ElementsAre(name));
  ASSERT_TRUE(store.Put(std::vector<Blob>{BlobOf(large)}).ok());
  EXPECT_EQ(*store.Get(name), large);
  EXPECT_TRUE(store.Missing(std::vector<std::string>{name})->empty());
}

}  // namespace
}  // namespace dl::storage
