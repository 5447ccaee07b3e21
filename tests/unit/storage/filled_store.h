// Meta stores filled with batches of a known pattern.
#pragma once

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "storage/rocks_meta_store.h"
#include "tests/unit/storage/written_pattern.h"

namespace dl::storage {

inline constexpr RocksMetaStoreOptions kAccept{
    .accept_loss = true, .min_free_bytes = 0, .ballast_bytes = 0};

inline constexpr RocksMetaStoreOptions kSmall{.min_free_bytes = 0, .ballast_bytes = 0};

inline Status PutOne(MetaStore& store, uint64_t n) {
  MetaBatch batch;
  batch.Put(PatternKey(n), PatternValue(n));
  return store.Write(batch);
}

// Fills a store up to `count` batches and closes it.
inline void Fill(const std::string& dir, uint64_t count, RocksMetaStoreOptions options = kSmall) {
  auto store = RocksMetaStore::Open(dir, options);
  ASSERT_TRUE(store.ok()) << store.status();
  for (uint64_t n = (*store)->index() + 1; n <= count; ++n) ASSERT_TRUE(PutOne(**store, n).ok());
}

inline void ExpectFirst(MetaStore& store, uint64_t count) {
  EXPECT_EQ(store.index(), count);
  for (uint64_t n = 1; n <= count; ++n) {
    auto value = store.Get(PatternKey(n));
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(*value, PatternValue(n)) << n;
  }
}

inline void ExpectNamedLoss(const Status& status, const std::string& dir) {
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_EQ(ErrorWhere(status), dir);
  EXPECT_THAT(ErrorRemedy(status), ::testing::HasSubstr("--accept-loss"));
}

}  // namespace dl::storage
