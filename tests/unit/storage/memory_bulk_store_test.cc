// The in-memory store behaves like the bulk database in everything that the checkpoint store relies
// on.
#include "storage/memory_bulk_store.h"

#include "gtest/gtest.h"
#include "storage/bulk_database.h"
#include "storage/checkpoint_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::storage {
namespace {

Status Put(BulkStore& store, const std::vector<std::string>& keys) {
  return store.Ingest(1, [&](TableWriter& table) -> Status {
    for (const std::string& key : keys)
      DL_RETURN_IF_ERROR(table.Add(key, std::as_bytes(std::span(key))));
    return absl::OkStatus();
  });
}

std::string Read(BulkStore& store, std::string_view key) {
  std::string found;
  const Status read = store.Read(key, [&](std::string_view value) -> Status {
    found = value;
    return absl::OkStatus();
  });
  if (absl::IsNotFound(read)) return "(not found)";
  return read.ok() ? found : DescribeError(read);
}

// A file is removed only if all its keys are in the range, and never in part.
void FilesGoAsAWhole(BulkStore& store) {
  DL_ASSERT_OK(Put(store, {"c1", "c2"}));
  DL_ASSERT_OK(Put(store, {"c3", "c5"}));
  DL_ASSERT_OK(store.DropFiles("c1", "c4"));
  EXPECT_EQ(Read(store, "c1"), "(not found)");
  EXPECT_EQ(Read(store, "c3"), "c3");
  const auto files = store.Files();
  DL_ASSERT_OK(files);
  ASSERT_EQ(files->size(), 1u);
  EXPECT_EQ(files->front().smallest_key, "c3");
  EXPECT_EQ(files->front().largest_key, "c5");
}

void AFailedWriteStoresNothing(BulkStore& store) {
  const Status failed = store.Ingest(1, [&](TableWriter& table) -> Status {
    DL_RETURN_IF_ERROR(table.Add("k", {}));
    return Internal({.message = "planted"});
  });
  EXPECT_THAT(failed, test::IsError(absl::StatusCode::kInternal, "planted"));
  EXPECT_EQ(Read(store, "k"), "(not found)");
}

TEST(MemoryBulkStore, ActsAsTheBulkDatabase) {
  test::TempFolder folder;
  const auto database = BulkDatabase::Open(folder.path(), "bulk", {.min_free_bytes = 0});
  DL_ASSERT_OK(database);
  MemoryBulkStore memory;
  for (BulkStore* store :
       {static_cast<BulkStore*>(database->get()), static_cast<BulkStore*>(&memory)}) {
    FilesGoAsAWhole(*store);
    AFailedWriteStoresNothing(*store);
  }
}

TEST(MemoryBulkStore, DamagedCheckpointIsDataLoss) {
  MemoryBulkStore bulk;
  CheckpointStore checkpoints(bulk);
  const std::string content = "content";
  const PartBytes part{"model", std::as_bytes(std::span(content))};
  const auto manifest =
      checkpoints.Write({.id = {.job = "job", .round = 3}, .parts = std::span(&part, 1)});
  DL_ASSERT_OK(manifest);
  std::string read(content.size(), ' ');
  DL_EXPECT_OK(checkpoints.Read(*manifest, "model", std::as_writable_bytes(std::span(read))));
  EXPECT_EQ(read, content);
  EXPECT_EQ(bulk.Damage("c"), 1);
  EXPECT_THAT(checkpoints.Read(*manifest, "model", std::as_writable_bytes(std::span(read))),
              test::IsError(absl::StatusCode::kDataLoss, "is damaged"));
}

TEST(MemoryBulkStore, WritesFailOnDemand) {
  MemoryBulkStore bulk;
  bulk.FailWrites([] { return ResourceExhausted({.message = "no space (planted)"}); });
  EXPECT_THAT(Put(bulk, {"k"}), test::IsError(absl::StatusCode::kResourceExhausted, "no space"));
  EXPECT_EQ(Read(bulk, "k"), "(not found)");
}

}  // namespace
}  // namespace dl::storage
