// Bulk databases that cannot be opened: refused without a change, or rebuilt from what is readable.
#include <filesystem>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "storage/bulk_database.h"
#include "tests/support/damage.h"
#include "tests/support/folder_content.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::storage {
namespace {

using test::Content;
using test::FilesEndingIn;
using test::FlipBit;
using test::IsError;
using test::Snapshot;
using test::TempFolder;
using ::testing::HasSubstr;
using ::testing::SizeIs;

namespace fs = std::filesystem;

class BulkSalvage : public ::testing::Test {
 protected:
  // Three tables: "a" and "b"; newer values of "b" and "c"; "d" to "g", each in blocks of its own.
  void SetUp() override {
    auto database = BulkDatabase::Open(dir_, "bulk", kRefuse);
    ASSERT_TRUE(database.ok()) << database.status();
    Put(**database, {{"a", "old"}, {"b", "old"}});
    Put(**database, {{"b", "new"}, {"c", "new"}});
    const std::string large(200'000, 'x');
    Put(**database, {{"d", large}, {"e", large}, {"f", large}, {"g", large}});
    tables_ = FilesEndingIn(dir_ + "/db", ".sst");
    ASSERT_THAT(tables_, SizeIs(3));
  }
  static void Put(BulkDatabase& database, const std::map<std::string, std::string>& values) {
    DL_ASSERT_OK(database.Ingest(0, [&](TableWriter& table) {
      for (const auto& [key, value] : values) {
        DL_RETURN_IF_ERROR(table.Add(key, std::as_bytes(std::span(value))));
      }
      return absl::OkStatus();
    }));
  }
  // Returns "-" for missing keys and "!" for unreadable values.
  static std::string Get(BulkDatabase& database, std::string_view key) {
    std::string value;
    const Status status = database.Read(key, [&](std::string_view stored) {
      value = stored;
      return absl::OkStatus();
    });
    if (absl::IsNotFound(status)) return "-";
    return status.ok() ? value : "!";
  }
  std::string FileNamed(const std::string& prefix) {
    for (const auto& entry : fs::directory_iterator(dir_ + "/db")) {
      if (entry.path().filename().string().starts_with(prefix)) return entry.path();
    }
    return "";
  }
  // Expects a refusal that changes nothing, then opens with permission to lose data.
  std::unique_ptr<BulkDatabase> RefusedThenSalvaged() {
    const auto before = Snapshot(dir_ + "/db");
    const auto refused = BulkDatabase::Open(dir_, "bulk", kRefuse);
    EXPECT_THAT(refused.status(), IsError(absl::StatusCode::kDataLoss, dir_));
    EXPECT_THAT(ErrorRemedy(refused.status()), HasSubstr("--accept-loss"));
    for (const auto& [file, content] : before) {
      if (fs::path(file).filename() == "LOG") continue;
      EXPECT_EQ(Content(file), content) << file;
    }
    auto salvaged = BulkDatabase::Open(dir_, "bulk", kAccept);
    EXPECT_TRUE(salvaged.ok()) << salvaged.status();
    return salvaged.ok() ? *std::move(salvaged) : nullptr;
  }

  static constexpr BulkOptions kRefuse{.min_free_bytes = 0};
  static constexpr BulkOptions kAccept{.accept_loss = true, .min_free_bytes = 0};
  TempFolder folder_;
  const std::string dir_ = folder_ / "bulk";
  std::vector<std::string> tables_;
};

TEST_F(BulkSalvage, WithoutItsListOfFilesEveryTableIsKept) {
  struct Place {
    const char* file;
    int64_t byte;
  };
  // CURRENT contains the name of the MANIFEST: "MANIFEST-000005".
  for (const Place& place : {Place{"MANIFEST", 3}, Place{"CURRENT", 3}, Place{"CURRENT", 14}}) {
    SCOPED_TRACE(testing::Message() << place.file << " byte " << place.byte);
    FlipBit(FileNamed(place.file), place.byte, 1);
    const auto database = RefusedThenSalvaged();
    ASSERT_NE(database, nullptr);
    EXPECT_EQ(Get(*database, "a"), "old");
    EXPECT_EQ(Get(*database, "b"), "new");
    EXPECT_EQ(Get(*database, "c"), "new");
    EXPECT_THAT(Get(*database, "d"), SizeIs(200'000));
    Put(*database, {{"c", "again"}});
    EXPECT_EQ(Get(*database, "c"), "again");
    Put(*database, {{"c", "new"}});
  }
  EXPECT_TRUE(fs::exists(dir_ + "/lost-3"));
  EXPECT_THAT(FilesEndingIn(dir_ + "/lost-1", ".sst"), SizeIs(0)) << "they only take space";
}

TEST_F(BulkSalvage, UnreadableTableIsMovedAside) {
  const std::string name = fs::path(tables_[1]).filename();
  // The magic number of the table.
  FlipBit(tables_[1], static_cast<int64_t>(fs::file_size(tables_[1])) - 3, 4);
  const std::string damaged = Content(tables_[1]);
  const auto database = RefusedThenSalvaged();
  ASSERT_NE(database, nullptr);
  EXPECT_EQ(Get(*database, "a"), "old");
  EXPECT_EQ(Get(*database, "b"), "old");
  EXPECT_EQ(Get(*database, "c"), "-");
  EXPECT_THAT(Get(*database, "d"), SizeIs(200'000));
  EXPECT_EQ(Content(dir_ + "/lost-1/" + name), damaged);
}

TEST_F(BulkSalvage, DamagedValueOfReadableTableStays) {
  FlipBit(tables_[2], 300'000, 4);
  FlipBit(FileNamed("MANIFEST"), 3, 4);
  const auto database = RefusedThenSalvaged();
  ASSERT_NE(database, nullptr);
  EXPECT_THAT(Get(*database, "d"), SizeIs(200'000));
  EXPECT_EQ(Get(*database, "e"), "!");
  EXPECT_THAT(Get(*database, "f"), SizeIs(200'000));
}

TEST_F(BulkSalvage, TableWithDamagedEndIsGivenUp) {
  FlipBit(tables_[2], 100'000, 4);
  FlipBit(FileNamed("MANIFEST"), 3, 4);
  const auto database = RefusedThenSalvaged();
  ASSERT_NE(database, nullptr);
  EXPECT_EQ(Get(*database, "d"), "-");
  EXPECT_EQ(Get(*database, "g"), "-");
  EXPECT_THAT(FilesEndingIn(dir_ + "/lost-1", ".sst"), SizeIs(1));
  EXPECT_EQ(Get(*database, "c"), "new");
}

// A MANIFEST that lost its end is a valid shorter MANIFEST. RocksDB deletes files that it does not
// name.
TEST_F(BulkSalvage, UnlistedTableIsRestored) {
  // `killed`: the process is killed while it opens the database, before it adds the table again.
  for (const bool killed : {false, true}) {
    const std::string key = killed ? "i" : "h";
    std::string manifest, before;
    {
      auto database = BulkDatabase::Open(dir_, "bulk", kRefuse);
      ASSERT_TRUE(database.ok()) << database.status();
      manifest = FileNamed("MANIFEST");
      before = Content(manifest);
      Put(**database, {{key, "forgotten"}});
    }
    test::WriteContent(manifest, before);
    if (killed) {
      const std::string table = FilesEndingIn(dir_ + "/db", ".sst").back();
      fs::create_directory(dir_ + "/unlisted");
      fs::rename(table, dir_ + "/unlisted/" + fs::path(table).filename().string());
    }
    auto database = BulkDatabase::Open(dir_, "bulk", kRefuse);
    ASSERT_TRUE(database.ok()) << database.status();
    EXPECT_EQ(Get(**database, key), "forgotten");
    EXPECT_EQ(Get(**database, "c"), "new");
    EXPECT_FALSE(fs::exists(dir_ + "/unlisted"));
  }
}

TEST_F(BulkSalvage, ExistingTablesPreventNewDatabase) {
  for (const char* name : {"FORMAT", "db/CURRENT"}) {
    const std::string path = dir_ + "/" + name, content = Content(path);
    fs::remove(path);
    const auto before = Snapshot(dir_);
    EXPECT_THAT(BulkDatabase::Open(dir_, "bulk", kRefuse).status(),
                IsError(absl::StatusCode::kDataLoss, dir_));
    EXPECT_THAT(BulkDatabase::ReadContent(dir_, "bulk", kRefuse).status(),
                IsError(absl::StatusCode::kDataLoss, dir_));
    EXPECT_EQ(Snapshot(dir_), before);
    test::WriteContent(path, content);
  }
  EXPECT_EQ(*BulkDatabase::ReadContent(dir_, "bulk", kRefuse), BulkDatabase::Content::kTables);
  EXPECT_EQ(*BulkDatabase::ReadContent(folder_ / "none", "bulk", kRefuse),
            BulkDatabase::Content::kNothing);
}

// RocksDB checks the keys that follow a new table's keys.
TEST_F(BulkSalvage, DamagedTableAffectsNoOther) {
  const std::string dir = folder_ / "beside", large(200'000, 'x');
  {
    auto database = BulkDatabase::Open(dir, "bulk", kRefuse);
    ASSERT_TRUE(database.ok()) << database.status();
    for (const char* key : {"b", "d"}) Put(**database, {{key, large}});
  }
  for (const std::string& table : FilesEndingIn(dir + "/db", ".sst")) FlipBit(table, 50'000, 4);
  auto database = BulkDatabase::Open(dir, "bulk", kRefuse);
  ASSERT_TRUE(database.ok()) << database.status();
  for (const char* key : {"b", "d"}) ASSERT_EQ(Get(**database, key), "!");
  for (const char* key : {"a", "c", "e"}) {
    Put(**database, {{key, key}});
    EXPECT_EQ(Get(**database, key), key);
  }
  DL_EXPECT_OK((*database)->DropFiles("b", "c"));
  Put(**database, {{"b", "again"}});
  EXPECT_EQ(Get(**database, "b"), "again");
}

TEST_F(BulkSalvage, KillBeforeLastStepLosesNothing) {
  fs::rename(dir_ + "/db", dir_ + "/rebuilt");  // between the two renames
  const auto database = BulkDatabase::Open(dir_, "bulk", kRefuse);
  ASSERT_TRUE(database.ok()) << database.status();
  EXPECT_EQ(Get(**database, "b"), "new");
}

TEST_F(BulkSalvage, EarlierKillRestartsSalvage) {
  fs::copy(dir_ + "/db", dir_ + "/rebuilt");
  FlipBit(FileNamed("MANIFEST"), 3, 4);
  const auto database = RefusedThenSalvaged();
  ASSERT_NE(database, nullptr);
  EXPECT_EQ(Get(*database, "a"), "old");
  EXPECT_FALSE(fs::exists(dir_ + "/rebuilt"));
  EXPECT_THAT(FilesEndingIn(dir_ + "/db", ".sst"), SizeIs(3)) << "none of them twice";
}

}  // namespace
}  // namespace dl::storage
