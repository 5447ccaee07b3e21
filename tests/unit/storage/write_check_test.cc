// A check that the meta store calls before each batch.
#include "gtest/gtest.h"
#include "storage/rocks_meta_store.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/storage/filled_store.h"

namespace dl::storage {
namespace {

TEST(WriteCheck, RefusalEndsTheStore) {
  test::TempFolder folder;
  {
    auto store = RocksMetaStore::Open(folder.path(), kSmall);
    ASSERT_TRUE(store.ok()) << store.status();
    bool may = true;
    (*store)->CheckBeforeWrites([&may]() -> Status {
      return may ? absl::OkStatus() : absl::FailedPreconditionError("another process has it");
    });
    EXPECT_TRUE(PutOne(**store, 1).ok());
    may = false;
    EXPECT_TRUE(absl::IsFailedPrecondition(PutOne(**store, 2)));
    may = true;
    EXPECT_TRUE(absl::IsFailedPrecondition(PutOne(**store, 2))) << "it has ended";
  }
  auto store = RocksMetaStore::Open(folder.path(), kSmall);
  ASSERT_TRUE(store.ok()) << store.status();
  ExpectFirst(**store, 1);
}

}  // namespace
}  // namespace dl::storage
