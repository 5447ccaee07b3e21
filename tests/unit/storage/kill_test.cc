// Kills a writer at any point, with and without the data that it had not synced. All acknowledged
// batches must exist.
#include <cstdlib>

#include "base/json.h"
#include "gtest/gtest.h"
#include "storage/checkpoint_store.h"
#include "storage/rocks_meta_store.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/storage/writer_process.h"
#include "tests/unit/storage/written_pattern.h"

namespace dl::storage {
namespace {

using test::TempFolder;

class AfterKill : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Sync, AfterKill, ::testing::Values("keep", "drop"));

TEST_P(AfterKill, EveryAcknowledgedBatchIsStored) {
  TempFolder folder;
  uint64_t acknowledged = 0;
  for (const size_t lines :
       {1, 60, 23, 41}) {  // each run continues after the one before; tables are flushed meanwhile
    WriterProcess writer("meta", folder.path(), GetParam());
    const std::vector<std::string> acks = writer.KillAfter(lines);
    ASSERT_GE(acks.size(), lines);
    EXPECT_GE(std::stoull(acks.front()), acknowledged + 1);
    acknowledged = std::stoull(acks.back());
  }
  auto store = RocksMetaStore::Open(folder.path(), {.min_free_bytes = 0, .ballast_bytes = 0});
  ASSERT_TRUE(store.ok()) << store.status();
  // Another batch may be durable, whose acknowledgement was lost.
  EXPECT_GE((*store)->index(), acknowledged);
  EXPECT_LE((*store)->index(), acknowledged + 1);
  for (uint64_t n = 1; n <= (*store)->index(); ++n)
    EXPECT_EQ(*(*store)->Get(PatternKey(n)), PatternValue(n)) << n;
  EXPECT_EQ(*(*store)->Get("latest"), std::to_string((*store)->index()));
}

TEST_P(AfterKill, EveryAcknowledgedCheckpointIsStored) {
  TempFolder folder;
  WriterProcess writer("bulk", folder.path(), GetParam());
  const std::vector<std::string> acks = writer.KillAfter(7);
  auto database = BulkDatabase::Open(folder.path(), "bulk", {.min_free_bytes = 0});
  ASSERT_TRUE(database.ok()) << database.status();
  CheckpointStore store(**database);
  std::vector<CheckpointId> live;
  for (size_t round = 0; round < acks.size(); ++round) {
    auto json = ParseJson(acks[round], "manifest");
    ASSERT_TRUE(json.ok()) << json.status();
    auto manifest = CheckpointManifestFromJson(*json, "");
    ASSERT_TRUE(manifest.ok()) << manifest.status();
    std::string bytes(manifest->TotalBytes(), '\0');
    ASSERT_TRUE(store.Read(*manifest, "model", std::as_writable_bytes(std::span(bytes))).ok());
    EXPECT_EQ(bytes, PatternValue(round));
    live.push_back(manifest->id);
  }
  auto orphans = store.CollectOrphans({.live = live});
  ASSERT_TRUE(orphans.ok()) << orphans.status();
  EXPECT_LE(*orphans, 1);  // it was being written
}

TEST(WriterProcessTest, AnotherProcessCannotOpenTheStore) {
  TempFolder folder;
  auto store = RocksMetaStore::Open(folder.path(), {.min_free_bytes = 0, .ballast_bytes = 0});
  ASSERT_TRUE(store.ok()) << store.status();
  WriterProcess writer("meta", folder.path(), "keep");
  EXPECT_EQ(writer.Wait(), 3);
}

}  // namespace
}  // namespace dl::storage
