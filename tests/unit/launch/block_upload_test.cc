#include "launch/import/block_upload.h"

#include <map>

#include "base/checksum.h"
#include "base/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/rpc/fake_master.h"

namespace dl::launch {
namespace {

using test::IsError;
using ::testing::ElementsAre;

// Stores the blocks that it receives and counts the calls.
class StoringMaster final : public rpc::FakeMaster {
 public:
  StatusOr<rpc::MissingBlocksReply> MissingBlocks(const rpc::MissingBlocksRequest& request,
                                                  Duration) override {
    rpc::MissingBlocksReply reply;
    for (const std::string& name : request.sha256) {
      if (!blocks.contains(name)) reply.missing.push_back(name);
    }
    return reply;
  }
  Status PutBlocks(const rpc::PutBlocksRequest& request, Duration) override {
    DL_RETURN_IF_ERROR(error);
    sent.push_back(static_cast<int64_t>(request.sizes.size()));
    size_t at = 0;
    for (size_t i = 0; i < request.sizes.size(); ++i) {
      blocks[request.sha256[i]] = request.bytes.substr(at, request.sizes[i]);
      at += request.sizes[i];
    }
    EXPECT_EQ(at, request.bytes.size());
    EXPECT_TRUE(at <= limits::kUploadBytes || request.sizes.size() == 1);
    return absl::OkStatus();
  }

  std::map<std::string, std::string> blocks;
  std::vector<int64_t> sent;  // number of blocks of each call
};

class BlockUploadTest : public ::testing::Test {
 protected:
  Status Put(const std::string& block) {
    return upload_.Put(Sha256Hex(block), std::as_bytes(std::span(block)));
  }
  void ExpectStored(const std::vector<std::string>& blocks) {
    for (const std::string& block : blocks)
      EXPECT_TRUE(master_.blocks[Sha256Hex(block)] == block) << block.substr(0, 20);
    EXPECT_EQ(master_.blocks.size(), blocks.size());
  }

  StoringMaster master_;
  Status go_on_;
  BlockUpload upload_{master_, [this] { return go_on_; }};
};

TEST_F(BlockUploadTest, SmallBlocksShareACall) {
  std::vector<std::string> blocks;
  for (int i = 0; i < limits::kMaxPutBlocks + 10; ++i) {
    blocks.push_back(std::string(i, 'x'));
    DL_ASSERT_OK(Put(blocks.back()));
  }
  DL_ASSERT_OK(upload_.Flush());
  DL_ASSERT_OK(upload_.Flush());
  EXPECT_THAT(master_.sent, ElementsAre(limits::kMaxPutBlocks, 10));
  ExpectStored(blocks);
}

TEST_F(BlockUploadTest, LargeBlocksHaveOneCallEach) {
  const std::vector<std::string> blocks = {std::string(10 << 20, 'a'), std::string(5 << 20, 'b'),
                                           std::string(2 << 20, 'c'),
                                           std::string(limits::kMaxBlockBytes, 'd'), "e"};
  for (const std::string& block : blocks) DL_ASSERT_OK(Put(block));
  DL_ASSERT_OK(upload_.Flush());
  EXPECT_THAT(master_.sent, ElementsAre(2, 1, 1, 1));
  ExpectStored(blocks);
}

TEST_F(BlockUploadTest, BlocksOnMasterAreNotSent) {
  for (const char* block : {"one", "three", "five"}) master_.blocks[Sha256Hex(block)] = block;
  for (const char* block : {"one", "two", "three", "four", "five", "six", "two"})
    DL_ASSERT_OK(Put(block));
  DL_ASSERT_OK(upload_.Flush());
  EXPECT_THAT(master_.sent, ElementsAre(3));
  ExpectStored({"one", "two", "three", "four", "five", "six"});
  DL_ASSERT_OK(Put("two"));
  DL_ASSERT_OK(upload_.Flush());
  EXPECT_THAT(master_.sent, ElementsAre(3));
}

TEST_F(BlockUploadTest, ErrorOrInterruptionEndsUpload) {
  DL_ASSERT_OK(Put("one"));
  go_on_ = Cancelled({.message = "interrupted"});
  EXPECT_THAT(upload_.Flush(), IsError(absl::StatusCode::kCancelled, "interrupted"));
  go_on_ = absl::OkStatus();
  master_.error = ResourceExhausted({.message = "full"});
  EXPECT_THAT(upload_.Flush(), IsError(absl::StatusCode::kResourceExhausted, "full"));
  master_.error = absl::OkStatus();
  DL_ASSERT_OK(upload_.Flush());
  ExpectStored({"one"});
}

}  // namespace
}  // namespace dl::launch
