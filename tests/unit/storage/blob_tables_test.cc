// Tables with many blobs: the cost of a damaged blob, the space freed by deletion, the state after
// a kill.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/thread.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "storage/blob_store.h"
#include "tests/support/damage.h"
#include "tests/support/folder_content.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::storage {
namespace {

using test::FilesEndingIn;
using test::FlipBit;
using test::IsError;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace fs = std::filesystem;

constexpr int64_t kBlobBytes = 10'000;

std::string NumberedBlob(int number) {
  std::string text;
  while (text.size() < kBlobBytes) text += Sha256Hex(absl::StrCat(number, "/", text.size()));
  return text;
}
std::string NameFor(int number) { return Sha256Hex(NumberedBlob(number)); }
std::vector<std::string> NamesFor(const std::vector<int>& numbers) {
  std::vector<std::string> names;
  for (const int number : numbers) names.push_back(NameFor(number));
  return names;
}

class BlobTables : public ::testing::Test {
 protected:
  void SetUp() override { Reopen(); }
  void Reopen() {
    store_.reset();
    database_.reset();
    auto database = BulkDatabase::Open(dir_, "bulk", {.min_free_bytes = 0});
    ASSERT_TRUE(database.ok()) << database.status();
    database_ = *std::move(database);
    auto store = BlobStore::Open(*database_);
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
  }
  Status Put(const std::vector<int>& numbers) {
    std::vector<std::string> contents;
    std::vector<Blob> blobs;
    for (const int number : numbers) contents.push_back(NumberedBlob(number));
    for (const std::string& content : contents)
      blobs.push_back({Sha256Hex(content), std::as_bytes(std::span(content))});
    return store_->Put(blobs);
  }
  // Stores a blob as in folders of schema 1.
  void PutOld(int number) {
    const std::string content = NumberedBlob(number);
    DL_ASSERT_OK(database_->Ingest(kBlobBytes, [&](TableWriter& table) {
      return table.Add("a" + Sha256Hex(content), std::as_bytes(std::span(content)));
    }));
  }
  // Expects that these blobs exist and are complete, and that all others are missing.
  void ExpectHas(std::vector<int> numbers) {
    std::vector<std::string> names = NamesFor(numbers);
    for (const int number : numbers) {
      const auto content = store_->Get(NameFor(number));
      ASSERT_TRUE(content.ok()) << number << ": " << content.status();
      EXPECT_TRUE(*content == NumberedBlob(number)) << number;
    }
    std::sort(names.begin(), names.end());
    EXPECT_EQ(store_->Names(), names);
  }
  std::vector<std::string> Tables() const { return FilesEndingIn(dir_ + "/db", ".sst"); }
  std::string OnlyTable() const {
    EXPECT_THAT(Tables(), SizeIs(1));
    return Tables().front();
  }
  // Returns the position of the blob's first bytes in the file.
  static int64_t PlaceOf(int number, const std::string& table) {
    return static_cast<int64_t>(test::Content(table).find(NumberedBlob(number).substr(0, 100)));
  }

  // Returns where the directories of a table with this many blobs begin. A directory begins with
  // its version and the numbers of stored and deleted blobs.
  static std::vector<int64_t> DirectoriesOf(char blobs, const std::string& table) {
    const std::string content = test::Content(table);
    const std::string header = std::string("\1\0\0\0", 4) + blobs + std::string(11, '\0');
    std::vector<int64_t> places;
    for (size_t at = content.find(header); at != std::string::npos;
         at = content.find(header, at + 1))
      places.push_back(static_cast<int64_t>(at));
    return places;
  }

  const test::TempFolder folder_;
  const std::string dir_ = folder_ / "bulk";
  std::unique_ptr<BulkDatabase> database_;
  std::unique_ptr<BlobStore> store_;
};

TEST_F(BlobTables, PutWritesOneTable) {
  DL_ASSERT_OK(Put({1, 2, 3, 2}));
  EXPECT_THAT(Tables(), SizeIs(1));
  DL_ASSERT_OK(Put({3, 1}));
  EXPECT_THAT(Tables(), SizeIs(1)) << "nothing of it was missing";
  DL_ASSERT_OK(Put({3, 4, 5}));
  EXPECT_THAT(Tables(), SizeIs(2));
  EXPECT_LT(test::BytesBelow(dir_ + "/db"), 5 * kBlobBytes + 60'000) << "3 is not there twice";
  ExpectHas({1, 2, 3, 4, 5});
  Reopen();
  ExpectHas({1, 2, 3, 4, 5});
  EXPECT_THAT(*store_->Missing(NamesFor({9, 5, 7})), ElementsAre(NameFor(9), NameFor(7)));
}

TEST_F(BlobTables, DamagedBlobAffectsNoOther) {
  DL_ASSERT_OK(Put({1, 2, 3, 4}));
  const std::string table = OnlyTable();
  FlipBit(table, PlaceOf(2, table) + 500, 3);
  Reopen();
  EXPECT_THAT(store_->Get(NameFor(2)).status(),
              IsError(absl::StatusCode::kDataLoss, "blob " + NameFor(2)));
  for (const int number : {1, 3, 4}) EXPECT_EQ(*store_->Get(NameFor(number)), NumberedBlob(number));
  EXPECT_THAT(*store_->Missing(NamesFor({1, 2, 3})), ElementsAre(NameFor(2)));
  DL_ASSERT_OK(Put({5}));
  DL_ASSERT_OK(Put({1, 2}));
  ExpectHas({1, 2, 3, 4, 5});
  EXPECT_THAT(*store_->Missing(NamesFor({1, 2, 3, 4, 5})), IsEmpty());
  Reopen();  // the newer copy counts
  ExpectHas({1, 2, 3, 4, 5});
}

TEST_F(BlobTables, DamagedDirectoryHasCopy) {
  for (const size_t which : {0u, 1u}) {
    SCOPED_TRACE(which);
    DL_ASSERT_OK(Put({1, 2, 3}));
    const std::vector<int64_t> directories = DirectoriesOf(3, OnlyTable());
    ASSERT_THAT(directories, SizeIs(2));
    FlipBit(OnlyTable(), directories[which], 1);
    Reopen();
    ExpectHas({1, 2, 3});
    DL_ASSERT_OK(store_->Delete(NamesFor({1, 2, 3})));
    EXPECT_THAT(Tables(), IsEmpty());
  }
}

TEST_F(BlobTables, ImportRestoresBlocksOfTableWithoutDirectories) {
  DL_ASSERT_OK(Put({1, 2}));
  const std::string table = OnlyTable();
  DL_ASSERT_OK(Put({3}));
  for (const int64_t place : DirectoriesOf(2, table)) FlipBit(table, place, 5);
  Reopen();
  ExpectHas({3});
  DL_ASSERT_OK(Put({1, 2, 3}));
  ExpectHas({1, 2, 3});
}

TEST_F(BlobTables, DeletionFreesSpace) {
  DL_ASSERT_OK(Put({1, 2, 3, 4, 5, 6, 7, 8, 9}));
  DL_ASSERT_OK(Put({11, 12, 13}));
  DL_ASSERT_OK(store_->Delete(NamesFor({11, 12, 13, 99})));
  EXPECT_THAT(Tables(), SizeIs(1)) << "all of it is dead, and no list of dead blobs is left";
  ExpectHas({1, 2, 3, 4, 5, 6, 7, 8, 9});
  // Too little to rewrite the table: the deletion is only recorded.
  DL_ASSERT_OK(store_->Delete(NamesFor({1, 2})));
  EXPECT_THAT(Tables(), SizeIs(2));
  ExpectHas({3, 4, 5, 6, 7, 8, 9});
  EXPECT_THAT(store_->Get(NameFor(1)).status(), IsError(absl::StatusCode::kNotFound, NameFor(1)));
  Reopen();
  ExpectHas({3, 4, 5, 6, 7, 8, 9});
  const int64_t before = test::BytesBelow(dir_ + "/db");
  DL_ASSERT_OK(store_->Delete(NamesFor({3})));
  EXPECT_THAT(Tables(), SizeIs(1)) << "written anew, so no copy is dead";
  EXPECT_LT(test::BytesBelow(dir_ + "/db"), before - 2 * kBlobBytes);
  ExpectHas({4, 5, 6, 7, 8, 9});
  Reopen();
  ExpectHas({4, 5, 6, 7, 8, 9});
}

TEST_F(BlobTables, DeletedBlobCanBeWrittenAgain) {
  DL_ASSERT_OK(Put({1, 2, 3, 4, 5, 6, 7, 8, 9}));
  DL_ASSERT_OK(store_->Delete(NamesFor({1})));
  DL_ASSERT_OK(Put({1}));
  ExpectHas({1, 2, 3, 4, 5, 6, 7, 8, 9});
  Reopen();
  ExpectHas({1, 2, 3, 4, 5, 6, 7, 8, 9});
  DL_ASSERT_OK(store_->Delete(NamesFor({1})));
  Reopen();
  ExpectHas({2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_F(BlobTables, LargeBlobMovesWithPieces) {
  std::string large(5 << 20, '\0');
  for (size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * i >> 9);
  const std::string small = NumberedBlob(1), other(4 << 20, 'x');
  const std::vector<Blob> blobs = {{Sha256Hex(large), std::as_bytes(std::span(large))},
                                   {Sha256Hex(small), std::as_bytes(std::span(small))},
                                   {Sha256Hex(other), std::as_bytes(std::span(other))}};
  DL_ASSERT_OK(store_->Put(blobs));
  DL_ASSERT_OK(store_->Delete(std::vector<std::string>{Sha256Hex(other)}));
  EXPECT_LT(test::BytesBelow(dir_ + "/db"), (5 << 20) + 100'000);
  Reopen();
  EXPECT_TRUE(*store_->Get(Sha256Hex(large)) == large);
  EXPECT_TRUE(store_->GetRange(Sha256Hex(large), 3 << 20, 5)->bytes == large.substr(3 << 20, 5));
  EXPECT_EQ(*store_->Get(Sha256Hex(small)), small);
}

TEST_F(BlobTables, TableWithDamagedBlobIsNotRewritten) {
  DL_ASSERT_OK(Put({1, 2, 3, 4}));
  const std::string table = OnlyTable();
  FlipBit(table, PlaceOf(2, table) + 500, 3);
  Reopen();
  DL_ASSERT_OK(store_->Delete(NamesFor({1, 3})));
  EXPECT_TRUE(fs::exists(table));
  EXPECT_THAT(store_->Get(NameFor(2)).status(), IsError(absl::StatusCode::kDataLoss, NameFor(2)));
  EXPECT_EQ(*store_->Get(NameFor(4)), NumberedBlob(4));
  DL_ASSERT_OK(Put({2}));
  DL_ASSERT_OK(store_->Delete(NamesFor({})));
  EXPECT_FALSE(fs::exists(table));
  ExpectHas({2, 4});
}

TEST_F(BlobTables, BlobsOfTheOldLayoutAreReadReplacedAndDeleted) {
  for (const int number : {1, 2, 3}) PutOld(number);
  const std::vector<std::string> old = Tables();
  ASSERT_THAT(old, SizeIs(3));
  FlipBit(old[1], 500, 2);
  store_.reset();
  test::WriteContent(dir_ + "/FORMAT", "paravane bulk 1\n");
  Reopen();
  EXPECT_EQ(test::Content(dir_ + "/FORMAT"), "paravane bulk 2\n");
  EXPECT_EQ(*store_->Get(NameFor(1)), NumberedBlob(1));
  EXPECT_THAT(store_->Get(NameFor(2)).status(), IsError(absl::StatusCode::kDataLoss, NameFor(2)));
  EXPECT_THAT(*store_->Missing(NamesFor({1, 2, 3, 4})), ElementsAre(NameFor(2), NameFor(4)));
  DL_ASSERT_OK(Put({1, 2, 4}));
  EXPECT_FALSE(fs::exists(old[1]));
  ExpectHas({1, 2, 3, 4});
  DL_ASSERT_OK(store_->Delete(NamesFor({1, 2})));
  EXPECT_FALSE(fs::exists(old[0]));
  Reopen();
  ExpectHas({3, 4});
}

TEST_F(BlobTables, MovedBlobsStayReadable) {
  std::vector<int> kept, going;
  for (int i = 0; i < 40; ++i) (i % 2 == 0 ? kept : going).push_back(i);
  std::vector<int> all = kept;
  all.insert(all.end(), going.begin(), going.end());
  DL_ASSERT_OK(Put(all));
  std::atomic<bool> done = false;
  Thread reader("reader", [&] {
    while (!done) {
      for (const int number : kept) {
        const auto content = store_->Get(NameFor(number));
        EXPECT_TRUE(content.ok()) << content.status();
      }
    }
  });
  for (const int number : going) DL_EXPECT_OK(store_->Delete(NamesFor({number})));
  done = true;
  reader.Join();
  ExpectHas(kept);
}

}  // namespace
}  // namespace dl::storage
