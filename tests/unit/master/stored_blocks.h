// Blocks in a folder, and manifests that name some of them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "dataset/manifest.h"
#include "storage/blob_store.h"
#include "storage/bulk_database.h"
#include "storage/memory_meta_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::master {

class StoredBlocks : public testing::Test {
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
  // Stores blocks with these contents, and returns a manifest that names them.
  std::string Manifest(const std::vector<std::string>& contents) {
    dataset::Manifest manifest;
    manifest.schema = {.feature_shape = {1, 2, 2},
                       .features = dataset::ByteFeatures{},
                       .labels = dataset::ClassLabels{.classes = 2}};
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

}  // namespace dl::master
