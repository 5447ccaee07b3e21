// Uploaded blocks stay while a job may still name them, and are deleted if no job did.
#include "master/gateway/uploads.h"

#include <gmock/gmock.h>

#include <utility>

#include "base/checksum.h"
#include "master/core/record_keys.h"
#include "master/stored.h"
#include "tests/unit/master/stored_blocks.h"
#include "tests/unit/security/hand_clock.h"

namespace dl::master {
namespace {

using std::chrono::hours, std::chrono::minutes;
using test::IsError;
using testing::ElementsAre;
using testing::IsEmpty;

// A store that has no file left to open when it is scanned for the first time.
class StoreWithoutFiles final : public storage::MetaStore {
 public:
  explicit StoreWithoutFiles(storage::MetaStore& store) : store_(store) {}
  Status Write(const storage::MetaBatch& batch) override { return store_.Write(batch); }
  StatusOr<std::optional<std::string>> Get(std::string_view key) override {
    return store_.Get(key);
  }
  Status Scan(std::string_view prefix, const Visitor& visit) override {
    if (!std::exchange(scanned_, true))
      return ResourceExhausted({.message = "too many open files"});
    return store_.Scan(prefix, visit);
  }
  Status Reclaim(std::string_view prefix) override { return store_.Reclaim(prefix); }
  uint64_t index() const override { return store_.index(); }

 private:
  storage::MetaStore& store_;
  bool scanned_ = false;
};

class UploadsTest : public StoredBlocks {
 protected:
  void SetUp() override {
    StoredBlocks::SetUp();
    Restart();
  }
  void Restart() { Restart(meta_); }
  void Restart(storage::MetaStore& meta) {
    uploads_ = std::make_unique<Uploads>(Uploads::Options{
        .meta = &meta, .blobs = blobs_.get(), .clock = &clock_, .bounds = bounds_});
  }
  void Bring(const std::vector<std::string>& contents) { DL_ASSERT_OK(TryToBring(contents, "")); }
  Status TryToBring(const std::vector<std::string>& contents, const std::string& token) {
    rpc::PutBlocksRequest request;
    for (const std::string& content : contents) {
      request.sha256.push_back(NameOf(content));
      request.sizes.push_back(static_cast<int64_t>(content.size()));
      request.bytes += content;
    }
    request.by.token = token;
    return uploads_->Put(request);
  }
  // Collects `passed` later, after two looks, as the collection thread does.
  StatusOr<int64_t> CollectAfter(Duration passed) {
    clock_.Pass(passed);
    Expiry expiry(hours(10), clock_.Now());
    for (int look = 0; look < 2; ++look) expiry.RecordTime(clock_.Now(), clock_.WallUnixMs());
    return uploads_->CollectUnnamed(expiry);
  }
  bool IsNoted(const std::string& content) { return Has(keys::Uploaded(NameOf(content))); }

  security::HandClock clock_;
  UnnamedBlocks::Bounds bounds_;
  std::unique_ptr<Uploads> uploads_;
};

TEST_F(UploadsTest, UnnamedUploadIsDeletedWhenDue) {
  Bring({"a", "b"});
  clock_.Pass(hours(2));
  Bring({"c"});
  EXPECT_EQ(*CollectAfter(hours(8) - minutes(1)), 0);
  EXPECT_EQ(*CollectAfter(minutes(1)), 2);
  EXPECT_FALSE(IsStored("a") || IsStored("b") || IsNoted("a") || IsNoted("b"));
  EXPECT_TRUE(IsStored("c") && IsNoted("c"));
  EXPECT_EQ(*CollectAfter(hours(2)), 1);
  EXPECT_FALSE(IsStored("c"));
}

TEST_F(UploadsTest, StartKnowsTimesOfUploads) {
  Bring({"a"});
  clock_.Pass(hours(9));
  Restart();
  EXPECT_EQ(*CollectAfter(hours(0)), 0);
  EXPECT_EQ(*CollectAfter(hours(1)), 1);
  EXPECT_FALSE(IsStored("a"));
}

TEST_F(UploadsTest, TimesThatAStartCannotReadAreReadLater) {
  Bring({"a", "b"});
  StoreWithoutFiles store(meta_);
  Restart(store);
  DL_ASSERT_OK(uploads_->Missing(std::vector<std::string>{NameOf("a")}));
  DL_ASSERT_OK(uploads_->DeleteReleased(std::vector<std::string>{NameOf("a"), NameOf("b")}));
  EXPECT_TRUE(IsStored("a") && IsStored("b"));
  EXPECT_EQ(*CollectAfter(hours(10)), 2);
  EXPECT_FALSE(IsStored("a") || IsNoted("a"));
}

TEST_F(UploadsTest, StartKnowsTheTimeOfTheLastUpload) {
  Bring({"a"});
  clock_.Pass(hours(9));
  Bring({"a"});
  Restart();
  EXPECT_EQ(*CollectAfter(hours(10) - minutes(1)), 0);
  EXPECT_EQ(*CollectAfter(minutes(1)), 1);
}

// Schedule 2647 of the simulator: the second upload was not acknowledged before the master was
// killed.
TEST_F(UploadsTest, UploadDuringWrongClockKeepsTheLaterTime) {
  Bring({"a", "b"});
  clock_.Jump(-hours(1000));
  Bring({"a"});
  EXPECT_THAT(*uploads_->Missing(std::vector<std::string>{NameOf("b")}), IsEmpty());
  clock_.Jump(hours(1000));
  EXPECT_EQ(*CollectAfter(hours(1)), 0);
  Restart();
  EXPECT_EQ(*CollectAfter(hours(9) - minutes(1)), 0);
  EXPECT_EQ(*CollectAfter(minutes(1)), 2);
}

TEST_F(UploadsTest, UploadsNamedByJobsStay) {
  Bring({"a", "b", "w"});
  Put(keys::TrainManifest("job-1"), Manifest({"a"}));
  uploads_->RecordNamed(std::vector<std::string>{NameOf("a")});
  EXPECT_FALSE(IsNoted("a"));
  // A job names the block, but a kill came before this was recorded.
  Put(keys::TestManifest("job-2"), Manifest({"b"}));
  Put(keys::InitialWeights("job-2"), "[\"" + NameOf("w") + "\"]");
  EXPECT_EQ(*CollectAfter(hours(11)), 0);
  for (const char* content : {"a", "b", "w"}) {
    EXPECT_TRUE(IsStored(content)) << content;
    EXPECT_FALSE(IsNoted(content)) << content;
  }
}

TEST_F(UploadsTest, QueryOrNewUploadResetsTime) {
  Bring({"a", "b", "c"});
  clock_.Pass(hours(9));
  const auto missing =
      uploads_->Missing(std::vector<std::string>{NameOf("a"), NameOf("x"), NameOf("b")});
  DL_ASSERT_OK(missing);
  EXPECT_THAT(*missing, ElementsAre(NameOf("x")));
  Bring({"b"});
  EXPECT_EQ(*CollectAfter(hours(9)), 1);
  EXPECT_FALSE(IsStored("c"));
  EXPECT_TRUE(IsStored("a") && IsStored("b"));
  EXPECT_EQ(*CollectAfter(hours(1)), 2);
}

TEST_F(UploadsTest, UnreadableManifestStopsDeletion) {
  Bring({"a"});
  Put(keys::TrainManifest("job-1"), "{");
  EXPECT_FALSE(CollectAfter(hours(11)).ok());
  EXPECT_TRUE(IsStored("a") && IsNoted("a"));
  Put(keys::TrainManifest("job-1"), Manifest({"b"}));
  EXPECT_EQ(*CollectAfter(hours(0)), 1);
  EXPECT_FALSE(IsStored("a"));
}

// A kill came between the note and the block, or between the deletions of the block and the note.
// Notes of earlier versions may also name blocks that were refused.
TEST_F(UploadsTest, NotesOfBlocksThatAreNotStoredAreDeletedAfterAStart) {
  Bring({"a", "c"});
  DL_ASSERT_OK(blobs_->Delete(std::vector<std::string>{NameOf("a")}));
  Put(keys::Uploaded(NameOf("b")), "damaged");
  Restart();
  EXPECT_EQ(*CollectAfter(hours(0)), 0);
  EXPECT_FALSE(IsNoted("a") || IsNoted("b"));
  EXPECT_TRUE(IsNoted("c"));
  DL_EXPECT_OK(CollectAfter(hours(11)));
  EXPECT_FALSE(IsNoted("c"));
}

TEST_F(UploadsTest, RefusedBlockIsNotNoted) {
  EXPECT_FALSE(uploads_->Put({.sha256 = {NameOf("b")}, .sizes = {1}, .bytes = "a"}).ok());
  EXPECT_FALSE(uploads_->Put({.sha256 = {"b"}, .sizes = {1}, .bytes = "a"}).ok());
  std::vector<std::string> names;
  for (const char* content : {"b", "c", "d"}) names.push_back(NameOf(content));
  EXPECT_FALSE(uploads_->Put({.sha256 = names, .sizes = {0, 0, 0}}).ok());
  EXPECT_THAT(*NamesUnder(meta_, keys::kUploadedPrefix), IsEmpty());
}

TEST_F(UploadsTest, BlocksWithoutJobAreLimitedForATokenAndForAll) {
  bounds_ = {.bytes = 50, .bytes_of_token = 30, .least_charge = 10};
  Restart();
  DL_ASSERT_OK(TryToBring({"a", "b", std::string(10, 'c')}, "t1"));
  const Status refused = TryToBring({"a", "d"}, "t1");
  EXPECT_THAT(refused, IsError(absl::StatusCode::kResourceExhausted, "this token"));
  EXPECT_THAT(ErrorRemedy(refused), testing::HasSubstr("--keep-uploads"));
  EXPECT_FALSE(IsStored("d") || IsNoted("d"));
  DL_EXPECT_OK(TryToBring({"b"}, "t1")) << "a block is charged once";
  Restart();
  EXPECT_FALSE(TryToBring({"d"}, "t1").ok()) << "a start knows the charges";
  EXPECT_THAT(TryToBring({std::string(21, 'e')}, "t2"),
              IsError(absl::StatusCode::kResourceExhausted, "all tokens"));
  DL_EXPECT_OK(TryToBring({std::string(20, 'e')}, "t2"));
  uploads_->RecordNamed(std::vector<std::string>{NameOf("a")});
  DL_EXPECT_OK(TryToBring({"d"}, "t1")) << "a job names a block";
  EXPECT_EQ(*CollectAfter(hours(11)), 4);
  DL_EXPECT_OK(TryToBring({"x", "y", "z"}, "t1")) << "the blocks were deleted";
}

// A job that names blocks must not be a way around the limits.
TEST_F(UploadsTest, FoundBlocksOfADeletedJobAreLimited) {
  bounds_ = {.bytes = 50, .bytes_of_token = 10, .least_charge = 10};
  Restart();
  (void)Manifest({"a", "b"});  // stored
  const std::vector<std::string> names{NameOf("a"), NameOf("b")};
  EXPECT_THAT(*uploads_->Missing(names), IsEmpty());
  DL_ASSERT_OK(uploads_->DeleteReleased(names));
  EXPECT_TRUE(IsStored("a") && IsNoted("a"));
  EXPECT_FALSE(IsStored("b") || IsNoted("b"));
}

// A job that named the block is deleted while another client is about to submit.
TEST_F(UploadsTest, UploadOfABlockOfADeletedJobStays) {
  Bring({"a"});
  DL_ASSERT_OK(uploads_->DeleteReleased(std::vector<std::string>{NameOf("a")}));
  EXPECT_TRUE(IsStored("a") && IsNoted("a"));
}

TEST_F(UploadsTest, BlockOfADeletedJobThatAClientFoundStaysUntilItIsDue) {
  (void)Manifest({"a", "b"});  // stored
  EXPECT_THAT(*uploads_->Missing(std::vector<std::string>{NameOf("c"), NameOf("a")}),
              ElementsAre(NameOf("c")));
  clock_.Pass(hours(2));
  DL_ASSERT_OK(uploads_->DeleteReleased(std::vector<std::string>{NameOf("a"), NameOf("b")}));
  EXPECT_TRUE(IsStored("a") && IsNoted("a"));
  EXPECT_FALSE(IsStored("b") || IsNoted("b"));
  Restart();
  EXPECT_EQ(*CollectAfter(hours(8) - minutes(1)), 0);
  EXPECT_EQ(*CollectAfter(minutes(1)), 1);
  EXPECT_FALSE(IsStored("a") || IsNoted("a"));
}

TEST_F(UploadsTest, BlockThatWasFoundLongAgoIsDeletedWithItsJob) {
  (void)Manifest({"a", "b"});  // stored
  (void)uploads_->Missing(std::vector<std::string>{NameOf("a"), NameOf("b")});
  uploads_->RecordNamed(std::vector<std::string>{NameOf("b")});
  EXPECT_EQ(*CollectAfter(hours(10)), 0);
  DL_ASSERT_OK(uploads_->DeleteReleased(std::vector<std::string>{NameOf("a"), NameOf("b")}));
  EXPECT_FALSE(IsStored("a") || IsStored("b"));
}

}  // namespace
}  // namespace dl::master
