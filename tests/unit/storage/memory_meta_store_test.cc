#include "storage/memory_meta_store.h"

#include "gtest/gtest.h"

namespace dl::storage {
namespace {

using Failure = MemoryMetaStore::Failure;

Status PutOne(MemoryMetaStore& store, const std::string& key) {
  MetaBatch batch;
  batch.Put(key, "value of " + key);
  return store.Write(batch);
}
bool Has(MemoryMetaStore& store, const std::string& key) { return store.Get(key)->has_value(); }

TEST(MemoryMetaStore, AcknowledgedBatchSurvivesCrash) {
  MemoryMetaStore store;
  ASSERT_TRUE(PutOne(store, "a").ok());
  store.Crash();
  EXPECT_TRUE(Has(store, "a"));
  EXPECT_EQ(store.index(), 1u);
}

TEST(MemoryMetaStore, LyingDiskLosesUnsyncedBatches) {
  MemoryMetaStore store;
  store.SetHonestSync(false);
  ASSERT_TRUE(PutOne(store, "a").ok());
  store.Sync();
  ASSERT_TRUE(PutOne(store, "b").ok());
  EXPECT_TRUE(Has(store, "b"));
  store.Crash();
  EXPECT_TRUE(Has(store, "a"));
  EXPECT_FALSE(Has(store, "b"));
  EXPECT_EQ(store.index(), 1u);
}

TEST(MemoryMetaStore, FailedWriteDisablesStoreUntilCrash) {
  for (const Failure failure : {Failure::kLost, Failure::kDurable}) {
    MemoryMetaStore store;
    store.FailWrite(2, failure);
    ASSERT_TRUE(PutOne(store, "a").ok());
    EXPECT_TRUE(absl::IsInternal(PutOne(store, "b")));
    EXPECT_TRUE(absl::IsInternal(PutOne(store, "c")));
    EXPECT_TRUE(absl::IsInternal(store.Get("a").status()));
    store.Crash();
    EXPECT_TRUE(Has(store, "a"));
    EXPECT_EQ(Has(store, "b"), failure == Failure::kDurable);
    EXPECT_TRUE(PutOne(store, "d").ok());
  }
}

TEST(MemoryMetaStore, NoSpaceWritesNothingAndLeavesItAlive) {
  MemoryMetaStore store;
  store.FailWrite(1, Failure::kNoSpace);
  EXPECT_TRUE(absl::IsResourceExhausted(PutOne(store, "a")));
  EXPECT_FALSE(Has(store, "a"));
  EXPECT_TRUE(PutOne(store, "a").ok());
}

TEST(MemoryMetaStore, ScansAPrefixInOrderAndStopsAtAnError) {
  MemoryMetaStore store;
  for (const char* key : {"b2", "a", "b1", "c"}) ASSERT_TRUE(PutOne(store, key).ok());
  std::string seen;
  ASSERT_TRUE(store
                  .Scan("b",
                        [&](std::string_view key, std::string_view) {
                          seen += key;
                          return absl::OkStatus();
                        })
                  .ok());
  EXPECT_EQ(seen, "b1b2");
  const Status stopped = store.Scan(
      "", [](std::string_view, std::string_view) { return Cancelled({.message = "enough"}); });
  EXPECT_TRUE(absl::IsCancelled(stopped));
}

}  // namespace
}  // namespace dl::storage
