// What deleted jobs leave is collected, from whatever point a kill left it at.
#include "master/collection.h"

#include "base/checksum.h"
#include "dataset/manifest.h"
#include "gtest/gtest.h"
#include "master/core/keys.h"
#include "storage/bulk_database.h"
#include "storage/memory_meta_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::master {
namespace {

class Collection : public testing::Test {
 protected:
  void SetUp() override {
    auto bulk = storage::BulkDatabase::Open(folder_.path(), "bulk", {});
    DL_ASSERT_OK(bulk);
    bulk_ = *std::move(bulk);
    auto blobs = storage::BlobStore::Open(*bulk_);
    DL_ASSERT_OK(blobs);
    blobs_ = *std::move(blobs);
  }
  static std::string NameOf(const std::string& content) { return Sha256Hex(content); }
  // A manifest that names these contents, which are stored.
  std::string Manifest(const std::vector<std::string>& contents) {
    dataset::Manifest manifest;
    manifest.schema = {.feature_shape = {1, 2, 2},
                       .feature_type = dataset::FeatureType::kU8,
                       .label_kind = dataset::LabelKind::kClass,
                       .classes = 2};
    manifest.examples = static_cast<int64_t>(contents.size());
    manifest.class_histogram = {manifest.examples, 0};
    manifest.content_fingerprint = NameOf("fingerprint");
    for (const std::string& content : contents) {
      const storage::Blob blob{NameOf(content), std::as_bytes(std::span(content))};
      DL_EXPECT_OK(blobs_->Put(std::span(&blob, 1)));
      manifest.blocks.push_back({.sha256 = blob.sha256, .examples = 1, .bytes = 1});
    }
    return dataset::ManifestToJson(manifest);
  }
  void Put(const std::string& key, const std::string& value) {
    storage::MetaBatch batch;
    batch.Put(key, value);
    DL_ASSERT_OK(meta_.Write(batch));
  }
  bool Has(const std::string& key) { return meta_.Get(key)->has_value(); }
  bool IsStored(const std::string& content) {
    return blobs_->Missing(std::vector<std::string>{NameOf(content)})->empty();
  }

  test::TempFolder folder_;
  storage::MemoryMetaStore meta_;
  std::unique_ptr<storage::BulkDatabase> bulk_;
  std::unique_ptr<storage::BlobStore> blobs_;
};

TEST_F(Collection, BlocksThatNobodyElseNamesGo) {
  Put(keys::TrainManifest("gone-1"), Manifest({"a", "b", "c"}));
  Put(keys::TestManifest("gone-1"), Manifest({"d"}));
  Put(keys::TrainManifest("gone-2"), Manifest({"b"}));
  Put(keys::TrainManifest("stays-3"), Manifest({"c", "e"}));
  Put(keys::Deleted("gone-1"), "");
  Put(keys::Deleted("gone-2"), "");
  DL_ASSERT_OK(CollectDeleted(meta_, *blobs_));
  for (const char* content : {"a", "b", "d"}) EXPECT_FALSE(IsStored(content)) << content;
  for (const char* content : {"c", "e"}) EXPECT_TRUE(IsStored(content)) << content;
  EXPECT_FALSE(Has(keys::TrainManifest("gone-1")) || Has(keys::TestManifest("gone-1")));
  EXPECT_FALSE(Has(keys::Deleted("gone-1")) || Has(keys::Deleted("gone-2")));
  EXPECT_TRUE(Has(keys::TrainManifest("stays-3")));
  DL_EXPECT_OK(CollectDeleted(meta_, *blobs_));
}

TEST_F(Collection, BlocksOfWeightsGoAndStayLikeThoseOfData) {
  (void)Manifest({"a", "b", "c"});  // stored
  const auto weights = [](const char* content) { return "[\"" + NameOf(content) + "\"]"; };
  Put(keys::TrainManifest("gone-1"), Manifest({"d"}));
  Put(keys::InitialWeights("gone-1"), weights("a"));
  Put(keys::InitialWeights("gone-2"), weights("b"));
  Put(keys::InitialWeights("stays-3"), weights("b"));
  Put(keys::Deleted("gone-1"), "");
  Put(keys::Deleted("gone-2"), "");
  DL_ASSERT_OK(CollectDeleted(meta_, *blobs_));
  for (const char* content : {"a", "d"}) EXPECT_FALSE(IsStored(content)) << content;
  for (const char* content : {"b", "c"}) EXPECT_TRUE(IsStored(content)) << content;
  EXPECT_FALSE(Has(keys::InitialWeights("gone-1")) || Has(keys::InitialWeights("gone-2")));
}

// A kill came before the manifests went, or before anything did.
TEST_F(Collection, IsRepeatedWhereItWasCutOff) {
  Put(keys::TrainManifest("gone-1"), Manifest({"a", "b"}));
  Put(keys::Deleted("gone-1"), "");
  DL_ASSERT_OK(blobs_->Delete(std::vector<std::string>{NameOf("a"), NameOf("b")}));
  DL_EXPECT_OK(CollectDeleted(meta_, *blobs_));
  EXPECT_FALSE(Has(keys::TrainManifest("gone-1")) || Has(keys::Deleted("gone-1")));
  // The note alone.
  Put(keys::Deleted("gone-1"), "");
  DL_EXPECT_OK(CollectDeleted(meta_, *blobs_));
  EXPECT_FALSE(Has(keys::Deleted("gone-1")));
}

TEST_F(Collection, NothingGoesWhileSomebodysManifestCannotBeRead) {
  Put(keys::TrainManifest("gone-1"), Manifest({"a"}));
  Put(keys::Deleted("gone-1"), "");
  Put(keys::TrainManifest("stays-2"), "{");
  EXPECT_FALSE(CollectDeleted(meta_, *blobs_).ok());
  EXPECT_TRUE(IsStored("a"));
  EXPECT_TRUE(Has(keys::Deleted("gone-1")));
  Put(keys::TrainManifest("stays-2"), Manifest({"b"}));
  DL_EXPECT_OK(CollectDeleted(meta_, *blobs_));
  EXPECT_FALSE(IsStored("a"));
}

TEST_F(Collection, AManifestOfADeletedJobThatCannotBeReadIsInNobodysWay) {
  (void)Manifest({"a"});
  Put(keys::TrainManifest("gone-1"), "{");
  Put(keys::Deleted("gone-1"), "");
  DL_EXPECT_OK(CollectDeleted(meta_, *blobs_));
  EXPECT_TRUE(IsStored("a"));
  EXPECT_FALSE(Has(keys::TrainManifest("gone-1")));
}

}  // namespace
}  // namespace dl::master
