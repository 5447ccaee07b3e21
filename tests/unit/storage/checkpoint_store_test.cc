#include "storage/checkpoint_store.h"

#include <filesystem>

#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/damage.h"
#include "tests/support/folder_content.h"
#include "tests/support/temp_folder.h"

namespace dl::storage {
namespace {

using test::BytesBelow;
using test::Content;
using test::FillDisk;
using test::FlipBit;
using test::LargestEndingIn;
using test::SmallDisk;
using test::Snapshot;
using test::TempFolder;
using test::WriteContent;
using ::testing::HasSubstr;

constexpr BulkOptions kSmallStore{.min_free_bytes = 0};

std::string Noise(size_t size, uint64_t seed) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    bytes[i] = static_cast<char>(seed >> 56);
  }
  return bytes;
}
std::span<const std::byte> AsBytesOf(const std::string& text) {
  return std::as_bytes(std::span(text));
}

struct Fixture {
  explicit Fixture(const std::string& dir) {
    auto opened = BulkDatabase::Open(dir, "bulk", kSmallStore);
    EXPECT_TRUE(opened.ok()) << opened.status();
    database = std::move(*opened);
    store = std::make_unique<CheckpointStore>(*database);
  }
  StatusOr<CheckpointManifest> Write(int64_t round, const std::string& global,
                                     const std::string& worker = "") {
    const std::vector<PartBytes> parts = {{"model", AsBytesOf(global)},
                                          {"updater-0", AsBytesOf(worker)}};
    return store->Write({.id = {.job = "job", .round = round, .term = 2, .nonce = 3},
                         .state_sha256 = "abc",
                         .parts = parts});
  }
  StatusOr<std::string> Read(const CheckpointManifest& manifest, const std::string& part) {
    std::string out(manifest.parts[manifest.PartIndex(part)].bytes, '\0');
    DL_RETURN_IF_ERROR(store->Read(manifest, part, std::as_writable_bytes(std::span(out))));
    return out;
  }
  std::unique_ptr<BulkDatabase> database;
  std::unique_ptr<CheckpointStore> store;
};

TEST(CheckpointStore, RoundTripsPartsOfAnySizeOverReopen) {
  TempFolder folder;
  const std::string global = Noise(limits::kCheckpointChunkBytes * 2 + 17, 1), worker = Noise(5, 2);
  CheckpointManifest manifest;
  {
    Fixture fixture(folder.path());
    auto written = fixture.Write(7, global, worker);
    ASSERT_TRUE(written.ok()) << written.status();
    manifest = *written;
    EXPECT_EQ(manifest.parts[0].chunk_xxh3.size(), 3u);
    EXPECT_EQ(manifest.Name(), "job@7");
    auto again = CheckpointManifestFromJson(ToJson(manifest), "");
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(*again, manifest);
  }
  Fixture fixture(folder.path());
  EXPECT_EQ(*fixture.Read(manifest, "model"), global);
  EXPECT_EQ(*fixture.Read(manifest, "updater-0"), worker);
}

TEST(CheckpointStore, EmptyPartAndWrongRequestAreHandled) {
  TempFolder folder;
  Fixture fixture(folder.path());
  auto manifest = fixture.Write(0, "x", "");
  ASSERT_TRUE(manifest.ok());
  EXPECT_EQ(*fixture.Read(*manifest, "updater-0"), "");
  std::byte two[2];
  EXPECT_TRUE(absl::IsInvalidArgument(fixture.store->Read(*manifest, "model", two)));
  EXPECT_TRUE(absl::IsNotFound(fixture.store->Read(*manifest, "nothing", two)));
  EXPECT_TRUE(absl::IsFailedPrecondition(fixture.Write(0, "y").status()));  // the id is used
  EXPECT_EQ(*fixture.Read(*manifest, "model"), "x");
}

TEST(CheckpointStore, FlippedBitIsNamed) {
  TempFolder folder;
  const std::string global = Noise(limits::kCheckpointChunkBytes * 3, 3);
  CheckpointManifest manifest;
  {
    Fixture fixture(folder.path());
    manifest = *fixture.Write(12, global);
  }
  const std::string table = LargestEndingIn(folder / "db", ".sst");
  FlipBit(table, limits::kCheckpointChunkBytes + 1000, 4);  // in the second chunk
  Fixture fixture(folder.path());
  const Status status = fixture.Read(manifest, "model").status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_EQ(ErrorWhere(status), "job@12");
  EXPECT_THAT(std::string(status.message()), HasSubstr("job@12, part 'model', chunk 1"));
}

TEST(CheckpointStore, PieceHashesAreStoredOrComputed) {
  TempFolder folder;
  const std::string model = Noise(limits::kCheckpointChunkBytes * 2 + 17, 8),
                    updater = Noise(limits::kCheckpointChunkBytes + kPieceBytes + 3, 9);
  CheckpointManifest manifest;
  {
    Fixture fixture(folder.path());
    const std::vector<PartBytes> parts = {
        {"model", AsBytesOf(model), "its list"}, {"updater", AsBytesOf(updater)}, {"none", {}}};
    manifest = *fixture.store->Write({.id = {.job = "job", .round = 1}, .parts = parts});
  }
  Fixture fixture(folder.path());
  const auto list = [&](const char* part) {
    return fixture.store->ReadPieceHashes(manifest, part);
  };
  EXPECT_EQ(*list("model"), "its list");
  EXPECT_EQ(*list("updater"), HashPieces(AsBytesOf(updater)));
  EXPECT_EQ(*list("none"), "");
  EXPECT_TRUE(absl::IsNotFound(list("nothing").status()));
  EXPECT_EQ(*fixture.Read(manifest, "model"), model);
  EXPECT_EQ(*fixture.Read(manifest, "updater"), updater);
  EXPECT_TRUE(fixture.store->Delete(manifest).ok());
  EXPECT_TRUE(absl::IsDataLoss(list("model").status())) << "it goes with its part";
}

TEST(CheckpointStore, PieceIsReadFromItsChunks) {
  TempFolder folder;
  constexpr int64_t kChunk = limits::kCheckpointChunkBytes;
  const std::string global = Noise(kChunk * 3 + 17, 5);
  Fixture fixture(folder.path());
  CheckpointManifest manifest = *fixture.Write(4, global, "worker");
  const auto read = [&](int64_t offset, int64_t size) -> StatusOr<std::string> {
    std::string out(size, '\0');
    DL_RETURN_IF_ERROR(fixture.store->ReadRange(manifest, "model", offset,
                                                std::as_writable_bytes(std::span(out))));
    return out;
  };
  for (const auto& [offset, size] : std::vector<std::pair<int64_t, int64_t>>{{0, kChunk},
                                                                             {kChunk, kChunk},
                                                                             {3 * kChunk, 17},
                                                                             {5, 1},
                                                                             {kChunk - 1, 2},
                                                                             {kChunk / 2, kChunk},
                                                                             {1, 3 * kChunk + 16},
                                                                             {3 * kChunk + 17, 0},
                                                                             {7, 0}}) {
    EXPECT_EQ(*read(offset, size), global.substr(offset, size)) << offset << ", " << size;
  }
  for (const auto& [offset, size] : std::vector<std::pair<int64_t, int64_t>>{{-1, 1},
                                                                             {3 * kChunk + 17, 1},
                                                                             {3 * kChunk + 18, 0},
                                                                             {0, 3 * kChunk + 18},
                                                                             {INT64_MAX, 1},
                                                                             {INT64_MIN, 1}}) {
    EXPECT_TRUE(absl::IsInvalidArgument(read(offset, size).status())) << offset << ", " << size;
  }
  std::byte one[1];
  EXPECT_TRUE(absl::IsNotFound(fixture.store->ReadRange(manifest, "nothing", 0, one)));
  // Data is verified only if it is read.
  manifest.parts[0].chunk_xxh3[1] ^= 1;
  EXPECT_EQ(*read(0, kChunk), global.substr(0, kChunk));
  EXPECT_EQ(*read(2 * kChunk, kChunk), global.substr(2 * kChunk, kChunk));
  for (const auto& [offset, size] : std::vector<std::pair<int64_t, int64_t>>{
           {kChunk, 1}, {kChunk - 1, 2}, {2 * kChunk - 1, 2}}) {
    const Status status = read(offset, size).status();
    EXPECT_TRUE(absl::IsDataLoss(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("chunk 1"));
  }
}

TEST(CheckpointStore, ChunkOfOtherContentIsDataLoss) {
  TempFolder folder;
  Fixture fixture(folder.path());
  auto manifest = fixture.Write(1, "what was written");
  manifest->parts[0].chunk_xxh3[0] ^= 1;
  const Status status = fixture.Read(*manifest, "model").status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("chunk 0"));
}

TEST(CheckpointStore, DeletingReturnsTheSpaceAndLeavesTheOthers) {
  TempFolder folder;
  Fixture fixture(folder.path());
  std::vector<CheckpointManifest> manifests;
  for (int64_t round = 0; round < 5; ++round)
    manifests.push_back(*fixture.Write(round, Noise(6 << 20, round)));
  EXPECT_GT(BytesBelow(folder.path()), 29 << 20);
  for (const int64_t round : {0, 1, 2, 4})
    ASSERT_TRUE(fixture.store->Delete(manifests[round]).ok());
  EXPECT_LT(BytesBelow(folder.path()), 7 << 20);
  EXPECT_EQ(*fixture.Read(manifests[3], "model"), Noise(6 << 20, 3));
  const Status gone = fixture.Read(manifests[2], "model").status();
  EXPECT_TRUE(absl::IsDataLoss(gone)) << gone;
  EXPECT_THAT(std::string(gone.message()), HasSubstr("is missing"));
  EXPECT_TRUE(fixture.store->Delete(manifests[2]).ok());
}

TEST(CheckpointStore, DeletesChunksWithoutManifest) {
  TempFolder folder;
  CheckpointManifest kept;
  {
    Fixture fixture(folder.path());
    ASSERT_TRUE(fixture.Write(1, Noise(1 << 20, 1)).ok());
    kept = *fixture.Write(2, Noise(1 << 20, 2));
    ASSERT_TRUE(fixture.Write(256, Noise(1 << 20, 3)).ok());
  }
  WriteContent(folder / "staging/9.sst",
               std::string(1 << 20, 'x'));  // was being written when the process died
  Fixture fixture(folder.path());
  EXPECT_FALSE(std::filesystem::exists(folder / "staging/9.sst"));
  const std::vector<CheckpointId> live = {kept.id};
  EXPECT_EQ(*fixture.store->CollectOrphans({.live = live}), 2);
  EXPECT_LT(BytesBelow(folder.path()), 2 << 20);
  EXPECT_EQ(*fixture.Read(kept, "model"), Noise(1 << 20, 2));
  EXPECT_EQ(*fixture.store->CollectOrphans({.live = live}), 0);
}

TEST(CheckpointStore, PossiblyUsedChunksAreKeptOrMovedAside) {
  TempFolder folder;
  Fixture fixture(folder.path());
  const CheckpointManifest written = *fixture.Write(1, Noise(1 << 20, 1));
  const std::string table = test::LargestEndingIn(folder.path(), ".sst"), bytes = Content(table);
  const std::string job = written.id.job, aside = fixture.database->NewLostFolder();
  EXPECT_EQ(*fixture.store->CollectOrphans({.spared_jobs = {job}}), 0);
  EXPECT_EQ(*fixture.store->CollectOrphans({.spared_jobs = {job + "0"}, .aside = aside}), 1);
  EXPECT_TRUE(absl::IsDataLoss(fixture.Read(written, "model").status()));
  const std::string name = std::filesystem::path(table).filename();
  EXPECT_TRUE(Content(aside + "/" + name) == bytes);
  EXPECT_FALSE(std::filesystem::exists(table));
}

TEST(CheckpointStore, UnsuitableManifestIsRefused) {
  TempFolder folder;
  Fixture fixture(folder.path());
  const Json good = ToJson(*fixture.Write(1, "abc", "d"));
  ASSERT_TRUE(CheckpointManifestFromJson(good, "").ok());
  const auto refuses = [&](auto change) {
    Json bad = good;
    change(bad);
    return absl::IsInvalidArgument(CheckpointManifestFromJson(bad, "").status());
  };
  EXPECT_TRUE(refuses([](Json& json) { json["schema"] = 0; }));
  EXPECT_TRUE(refuses([](Json& json) { json["more"] = 2; }));
  EXPECT_TRUE(refuses([](Json& json) { json.erase("nonce"); }));
  EXPECT_TRUE(refuses([](Json& json) { json["parts"][0]["bytes"] = int64_t{1} << 60; }));
  EXPECT_TRUE(
      refuses([](Json& json) { json["parts"][0]["chunk_xxh3"].push_back("0123456789abcdef"); }));
  EXPECT_TRUE(refuses([](Json& json) { json["parts"][0]["chunk_xxh3"][0] = "xyz"; }));
  EXPECT_TRUE(refuses([](Json& json) { json["parts"][1]["name"] = "model"; }));
  EXPECT_TRUE(refuses([](Json& json) { json["chunk_bytes"] = 0; }));
  EXPECT_TRUE(refuses([](Json& json) { json["parts"] = "none"; }));
}

TEST(BulkDatabase, FullDiskIsTemporaryError) {
  SmallDisk disk(32 << 20);
  if (!disk.refused().empty()) GTEST_SKIP() << disk.refused();
  Fixture fixture(disk.path() + "/bulk");
  const std::string content = Noise(5 << 20, 1);
  auto kept = fixture.Write(1, content);
  ASSERT_TRUE(kept.ok()) << kept.status();
  FillDisk(disk.path() + "/filler", 64 << 20);  // to the last byte
  EXPECT_TRUE(absl::IsResourceExhausted(fixture.Write(2, content).status()));
  // The same without the check of free space: the disk itself returns the error.
  const Status full = fixture.database->Ingest(
      0, [&](TableWriter& table) { return table.Add("z", AsBytesOf(content)); });
  EXPECT_TRUE(absl::IsResourceExhausted(full)) << full;
  EXPECT_EQ(*fixture.Read(*kept, "model"), content);
  std::filesystem::remove(disk.path() + "/filler");
  auto later = fixture.Write(2, content);
  ASSERT_TRUE(later.ok()) << later.status();
  EXPECT_EQ(*fixture.Read(*later, "model"), content);
  EXPECT_EQ(*fixture.Read(*kept, "model"), content);
}

TEST(BulkDatabase, RefusesANewerSchemaAndASecondOpen) {
  TempFolder folder;
  {
    Fixture fixture(folder.path());
    EXPECT_TRUE(absl::IsFailedPrecondition(
        BulkDatabase::Open(folder.path(), "bulk", kSmallStore).status()));
  }
  WriteContent(folder / "FORMAT", "paravane bulk 9\n");
  const auto before = Snapshot(folder.path());
  EXPECT_TRUE(
      absl::IsUnimplemented(BulkDatabase::Open(folder.path(), "bulk", kSmallStore).status()));
  EXPECT_EQ(Snapshot(folder.path()), before);
}

}  // namespace
}  // namespace dl::storage
