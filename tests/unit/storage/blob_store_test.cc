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

constexpr BulkOptions kSmall{.min_free_bytes = 0};

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
  auto opened = BulkDatabase::Open(dir, "bulk", kSmall);
  EXPECT_TRUE(opened.ok()) << opened.status();
  return std::move(*opened);
}

TEST(BlobStore, StoresByNameAndSaysWhatIsMissing) {
  TempFolder folder;
  const std::string one = Content(1), two = Content(2), empty;
  {
    const auto database = OpenBulk(folder.path());
    BlobStore store(*database);
    const std::vector<Blob> blobs = {BlobOf(two), BlobOf(one), BlobOf(two), BlobOf(empty)};
    ASSERT_TRUE(store.Put(blobs).ok());
    ASSERT_TRUE(store.Put(blobs).ok());
  }
  const auto database = OpenBulk(folder.path());
  BlobStore store(*database);
  const std::vector<std::string> names = {Sha256Hex("x"), Sha256Hex(one), Sha256Hex("a"),
                                          Sha256Hex(two), Sha256Hex(empty)};
  EXPECT_THAT(*store.Missing(names), ElementsAre(names[0], names[2]));
  EXPECT_EQ(*store.Get(Sha256Hex(one)), one);
  EXPECT_EQ(*store.Get(Sha256Hex(two)), two);
  EXPECT_EQ(*store.Get(Sha256Hex(empty)), empty);
  EXPECT_TRUE(absl::IsNotFound(store.Get(names[0]).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(store.Get("../etc").status()));
}

TEST(BlobStore, RefusesContentThatIsNotWhatItsNameSays) {
  TempFolder folder;
  const auto database = OpenBulk(folder.path());
  BlobStore store(*database);
  const std::string good = Content(1), bad = Content(2);
  const std::vector<Blob> blobs = {BlobOf(good),
                                   {.sha256 = Sha256Hex("other"), .bytes = Bytes(bad)}};
  const Status refused = store.Put(blobs);
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  EXPECT_THAT(ErrorWhere(refused), HasSubstr(Sha256Hex("other")));
  EXPECT_EQ(store.Missing(std::vector<std::string>{Sha256Hex(good)})->size(), 1u);
}

TEST(BlobStore, ADamagedBlobIsNamedAndReplaced) {
  TempFolder folder;
  const std::string content = Content(3);
  {
    const auto database = OpenBulk(folder.path());
    ASSERT_TRUE(BlobStore(*database).Put(std::vector<Blob>{BlobOf(content)}).ok());
  }
  FlipBit(LargestEndingIn(folder / "db", ".sst"), 50'000, 4);
  const std::vector<std::string> name = {Sha256Hex(content)};
  {
    const auto database = OpenBulk(folder.path());
    BlobStore store(*database);
    const Status damaged = store.Get(name[0]).status();
    EXPECT_TRUE(absl::IsDataLoss(damaged)) << damaged;
    EXPECT_THAT(std::string(damaged.message()), HasSubstr(name[0]));
  }
  // Whoever uploads what is missing replaces it, also in another life of the store.
  const auto database = OpenBulk(folder.path());
  BlobStore store(*database);
  EXPECT_EQ(*store.Missing(name), name);
  const Status replaced = store.Put(std::vector<Blob>{BlobOf(content)});
  ASSERT_TRUE(replaced.ok()) << replaced;
  EXPECT_EQ(*store.Get(Sha256Hex(content)), content);
  EXPECT_TRUE(store.Missing(name)->empty());
}

}  // namespace
}  // namespace dl::storage
