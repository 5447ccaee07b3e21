#include "storage/block_cache.h"

#include <filesystem>
#include <fstream>

#include "base/checksum.h"
#include "base/fail_point.h"
#include "gtest/gtest.h"
#include "tests/support/damage.h"
#include "tests/support/folder_content.h"
#include "tests/support/temp_folder.h"

namespace dl::storage {
namespace {

using test::Content;
using test::FilesEndingIn;
using test::FlipBit;
using test::LargestEndingIn;
using test::TempFolder;

std::string NumberedContent(int n) {
  std::string text;
  for (int i = 0; text.size() < 100'000; ++i)
    text += Sha256Hex(std::to_string(n) + "/" + std::to_string(i));
  return text;
}
std::span<const std::byte> BytesOf(const std::string& text) {
  return std::as_bytes(std::span(text));
}

BlockCacheOptions Capacity(int64_t bytes) { return {.capacity_bytes = bytes, .min_free_bytes = 0}; }

std::unique_ptr<BlockCache> OpenCache(const std::string& dir, int64_t capacity) {
  auto opened = BlockCache::Open(dir, Capacity(capacity));
  EXPECT_TRUE(opened.ok()) << opened.status();
  return std::move(*opened);
}
bool Cached(BlockCache& cache, int n) {
  auto found = cache.Get(Sha256Hex(NumberedContent(n)));
  EXPECT_TRUE(found.ok()) << found.status();
  if (found->has_value()) {
    EXPECT_EQ(**found, NumberedContent(n));
  }
  return found->has_value();
}
void Keep(BlockCache& cache, int n) {
  const std::string content = NumberedContent(n);
  const Status kept = cache.Put(Sha256Hex(content), BytesOf(content));
  EXPECT_TRUE(kept.ok()) << kept;
}

TEST(BlockCache, DropsLeastRecentlyUsedAndStaysInItsBound) {
  TempFolder folder;
  constexpr int64_t kCapacity = 450'000;  // four blocks
  auto cache = OpenCache(folder.path(), kCapacity);
  for (int n = 0; n < 4; ++n) Keep(*cache, n);
  EXPECT_TRUE(Cached(*cache, 0));
  Keep(*cache, 4);
  EXPECT_TRUE(Cached(*cache, 0));
  EXPECT_FALSE(Cached(*cache, 1));
  for (int n = 5; n < 12; ++n) {
    Keep(*cache, n);
    EXPECT_LE(cache->bytes(), kCapacity);
    int64_t on_disk = 0;
    for (const std::string& file : FilesEndingIn(folder / "blocks", ""))
      on_disk += Content(file).size();
    EXPECT_LE(on_disk, cache->bytes());
    EXPECT_GT(on_disk, 100'000);
  }
  EXPECT_TRUE(Cached(*cache, 11));
}

TEST(BlockCache, SurvivesARestartAndASmallerBound) {
  TempFolder folder;
  {
    auto cache = OpenCache(folder.path(), 1 << 20);
    for (int n = 0; n < 6; ++n) Keep(*cache, n);
  }
  {
    auto cache = OpenCache(folder.path(), 1 << 20);
    for (int n = 0; n < 6; ++n) EXPECT_TRUE(Cached(*cache, n)) << n;
    Keep(*cache, 6);
  }
  auto cache = OpenCache(folder.path(), 250'000);
  EXPECT_LE(cache->bytes(), 250'000);
  EXPECT_TRUE(Cached(*cache, 6));
  EXPECT_TRUE(Cached(*cache, 5));
  EXPECT_FALSE(Cached(*cache, 0));
}

TEST(BlockCache, DamagedEntryIsMissingAndReplaceable) {
  TempFolder folder;
  {
    auto cache = OpenCache(folder.path(), 1 << 20);
    Keep(*cache, 1);
  }
  FlipBit(LargestEndingIn(folder / "blocks", ""), 50'000, 4);
  auto cache = OpenCache(folder.path(), 1 << 20);
  EXPECT_FALSE(Cached(*cache, 1));
  EXPECT_EQ(cache->damaged(), 1);
  EXPECT_EQ(cache->bytes(), 0);
  Keep(*cache, 1);
  EXPECT_TRUE(Cached(*cache, 1));
}

TEST(BlockCache, FilesOfAnInterruptedWriteAndOfTheFirstSchemaAreRemoved) {
  TempFolder folder;
  {
    auto cache = OpenCache(folder.path(), 1 << 20);
    Keep(*cache, 1);
  }
  const std::string unfinished = folder / "blocks/0000000000000009-" + Sha256Hex("x") + ".new";
  std::ofstream(unfinished) << "half of it";
  std::filesystem::create_directory(folder / "db");
  std::ofstream(folder / "FORMAT") << "paravane cache 1\n";
  auto cache = OpenCache(folder.path(), 1 << 20);
  EXPECT_TRUE(Cached(*cache, 1));
  EXPECT_FALSE(std::filesystem::exists(unfinished));
  EXPECT_FALSE(std::filesystem::exists(folder / "db"));
}

TEST(BlockCache, FullOrFailingDiskIsAnErrorOfThePutAlone) {
  const test::SmallDisk disk(1 << 20);
  if (!disk.refused().empty()) GTEST_SKIP() << disk.refused();
  auto cache = OpenCache(disk.path(), 64 << 20);
  int kept = 0;
  Status full;
  for (; full.ok() && kept < 100; ++kept) {
    const std::string content = NumberedContent(kept);
    full = cache->Put(Sha256Hex(content), BytesOf(content));
  }
  EXPECT_TRUE(absl::IsResourceExhausted(full)) << full;
  for (int n = 0; n + 1 < kept; ++n) EXPECT_TRUE(Cached(*cache, n)) << n;
  EXPECT_FALSE(Cached(*cache, kept - 1));

  TempFolder folder;
  auto failing = OpenCache(folder.path(), 1 << 20);
  ASSERT_TRUE(ArmFailPoints("store.write=error@1").ok());
  const std::string content = NumberedContent(1);
  EXPECT_FALSE(failing->Put(Sha256Hex(content), BytesOf(content)).ok());
  EXPECT_FALSE(Cached(*failing, 1));
  Keep(*failing, 1);
  ASSERT_TRUE(ArmFailPoints("").ok());
  EXPECT_TRUE(Cached(*failing, 1));
}

TEST(BlockCache, RefusesWrongContentAndSkipsWhatIsTooLarge) {
  TempFolder folder;
  auto cache = OpenCache(folder.path(), 50'000);
  const std::string content = NumberedContent(1);
  EXPECT_TRUE(absl::IsInvalidArgument(cache->Put(Sha256Hex("other"), BytesOf(content))));
  EXPECT_TRUE(cache->Put(Sha256Hex(content), BytesOf(content)).ok());
  EXPECT_FALSE(Cached(*cache, 1));
  EXPECT_TRUE(absl::IsFailedPrecondition(BlockCache::Open(folder.path(), Capacity(1)).status()));
}

}  // namespace
}  // namespace dl::storage
