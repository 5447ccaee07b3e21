// Blocks and notes of deleted jobs are deleted, wherever a kill interrupted the deletion.
#include "master/collection.h"

#include "master/core/record_keys.h"
#include "tests/unit/master/stored_blocks.h"

namespace dl::master {
namespace {

class Collection : public StoredBlocks {
 protected:
  Status Collect() {
    return CollectDeleted(
        meta_, [this](std::span<const std::string> names) { return blobs_->Delete(names); });
  }
};

TEST_F(Collection, UnnamedBlocksAreDeleted) {
  Put(keys::TrainManifest("gone-1"), Manifest({"a", "b", "c"}));
  Put(keys::TestManifest("gone-1"), Manifest({"d"}));
  Put(keys::TrainManifest("gone-2"), Manifest({"b"}));
  Put(keys::TrainManifest("stays-3"), Manifest({"c", "e"}));
  Put(keys::Deleted("gone-1"), "");
  Put(keys::Deleted("gone-2"), "");
  DL_ASSERT_OK(Collect());
  for (const char* content : {"a", "b", "d"}) EXPECT_FALSE(IsStored(content)) << content;
  for (const char* content : {"c", "e"}) EXPECT_TRUE(IsStored(content)) << content;
  EXPECT_FALSE(Has(keys::TrainManifest("gone-1")) || Has(keys::TestManifest("gone-1")));
  EXPECT_FALSE(Has(keys::Deleted("gone-1")) || Has(keys::Deleted("gone-2")));
  EXPECT_TRUE(Has(keys::TrainManifest("stays-3")));
  DL_EXPECT_OK(Collect());
}

TEST_F(Collection, BlocksOfWeightsAreCollectedLikeData) {
  (void)Manifest({"a", "b", "c"});  // stored
  const auto weights = [](const char* content) { return "[\"" + NameOf(content) + "\"]"; };
  Put(keys::TrainManifest("gone-1"), Manifest({"d"}));
  Put(keys::InitialWeights("gone-1"), weights("a"));
  Put(keys::InitialWeights("gone-2"), weights("b"));
  Put(keys::InitialWeights("stays-3"), weights("b"));
  Put(keys::Deleted("gone-1"), "");
  Put(keys::Deleted("gone-2"), "");
  DL_ASSERT_OK(Collect());
  for (const char* content : {"a", "d"}) EXPECT_FALSE(IsStored(content)) << content;
  for (const char* content : {"b", "c"}) EXPECT_TRUE(IsStored(content)) << content;
  EXPECT_FALSE(Has(keys::InitialWeights("gone-1")) || Has(keys::InitialWeights("gone-2")));
}

// A kill interrupts the deletion before the manifests are deleted, or before anything is.
TEST_F(Collection, InterruptedCollectionContinues) {
  Put(keys::TrainManifest("gone-1"), Manifest({"a", "b"}));
  Put(keys::Deleted("gone-1"), "");
  DL_ASSERT_OK(blobs_->Delete(std::vector<std::string>{NameOf("a"), NameOf("b")}));
  DL_EXPECT_OK(Collect());
  EXPECT_FALSE(Has(keys::TrainManifest("gone-1")) || Has(keys::Deleted("gone-1")));
  // Only the note remains.
  Put(keys::Deleted("gone-1"), "");
  DL_EXPECT_OK(Collect());
  EXPECT_FALSE(Has(keys::Deleted("gone-1")));
}

TEST_F(Collection, UnreadableManifestStopsDeletion) {
  Put(keys::TrainManifest("gone-1"), Manifest({"a"}));
  Put(keys::Deleted("gone-1"), "");
  Put(keys::TrainManifest("stays-2"), "{");
  EXPECT_FALSE(Collect().ok());
  EXPECT_TRUE(IsStored("a"));
  EXPECT_TRUE(Has(keys::Deleted("gone-1")));
  Put(keys::TrainManifest("stays-2"), Manifest({"b"}));
  DL_EXPECT_OK(Collect());
  EXPECT_FALSE(IsStored("a"));
}

TEST_F(Collection, UnreadableManifestOfDeletedJobIsIgnored) {
  (void)Manifest({"a"});
  Put(keys::TrainManifest("gone-1"), "{");
  Put(keys::Deleted("gone-1"), "");
  DL_EXPECT_OK(Collect());
  EXPECT_TRUE(IsStored("a"));
  EXPECT_FALSE(Has(keys::TrainManifest("gone-1")));
}

}  // namespace
}  // namespace dl::master
