// Cost of reads of the meta store if it holds large values such as manifests.
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "storage/rocks_meta_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/storage/filled_store.h"

namespace dl::storage {
namespace {

constexpr int64_t kLargeValue = 8 << 20;
constexpr int64_t kFewBytes = 1 << 20;

// Returns the bytes that this thread has read from files.
int64_t BytesRead() {
  std::ifstream io("/proc/thread-self/io");
  std::string word;
  int64_t bytes = -1;
  while (io >> word >> bytes) {
    if (word == "rchar:") return bytes;
  }
  ADD_FAILURE() << "/proc/thread-self/io does not say what was read";
  return 0;
}

class MetaReads : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = RocksMetaStore::Open(folder_.path(), kSmall);
    DL_ASSERT_OK(opened);
    store_ = *std::move(opened);
    MetaBatch batch;
    for (const std::string& key : small_) batch.Put(key, "small");
    for (const char* job : {"1", "2"})
      batch.Put(absl::StrCat("manifest/", job, "/train"), std::string(kLargeValue, 'm'));
    DL_ASSERT_OK(store_->Write(batch));
    DL_ASSERT_OK(store_->Reclaim("m"));  // the memory table becomes a table file
  }

  const std::vector<std::string> small_ = {"ended/1/job", "log/1/0",          "log/1/1",
                                           "m",           "manifest/1/other", "manifest/2/a",
                                           "manifest/3",  "number/1",         "told/1"};
  const test::TempFolder folder_;
  std::unique_ptr<RocksMetaStore> store_;
};

TEST_F(MetaReads, SmallValueIsReadWithoutTheLargeValuesBesideIt) {
  for (const std::string& key : small_) {
    const int64_t before = BytesRead();
    const auto value = store_->Get(key);
    EXPECT_LT(BytesRead() - before, kFewBytes) << key;
    DL_ASSERT_OK(value);
    EXPECT_EQ(*value, "small") << key;
  }
}

TEST_F(MetaReads, MissingKeyIsNotLookedForInALargeValuesBlock) {
  for (const char* key : {"log/1/2", "manifest/1/test", "manifest/1/u", "manifest/2/test"}) {
    const int64_t before = BytesRead();
    const auto value = store_->Get(key);
    EXPECT_LT(BytesRead() - before, kFewBytes) << key;
    DL_ASSERT_OK(value);
    EXPECT_EQ(*value, std::nullopt) << key;
  }
}

TEST_F(MetaReads, ScanDoesNotReadTheValueAfterItsPrefix) {
  for (const char* prefix : {"log/1/", "manifest/1/o", "manifest/2/a", "number/"}) {
    const int64_t before = BytesRead();
    int64_t keys = 0;
    DL_ASSERT_OK(store_->Scan(prefix, [&](std::string_view, std::string_view) {
      ++keys;
      return absl::OkStatus();
    }));
    EXPECT_LT(BytesRead() - before, kFewBytes) << prefix;
    EXPECT_GT(keys, 0) << prefix;
  }
}

TEST_F(MetaReads, LargeValueIsReadWhole) {
  const int64_t before = BytesRead();
  const auto value = store_->Get("manifest/1/train");
  EXPECT_GT(BytesRead() - before, kLargeValue);
  DL_ASSERT_OK(value);
  EXPECT_EQ(**value, std::string(kLargeValue, 'm'));
}

}  // namespace
}  // namespace dl::storage
