// Blocks come from the cache, else from the master. A named pipe in place of a file of the cache
// makes its disk hang: to open it waits for the other end.
#include "executor/block_fetcher.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "base/checksum.h"
#include "base/file_descriptor.h"
#include "dataset/manifest.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/folder_content.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/executor/scripted_master.h"

namespace dl::executor {
namespace {

using testing::HasSubstr;

class BlockFetcherTest : public testing::Test {
 protected:
  BlockFetcherTest() {
    master_.on_fetch_block = [this](const rpc::FetchRequest& request, rpc::Chunk&) -> Status {
      ++fetches_;
      session_ = request.session;
      if (session_ == kEnded) return Aborted({.message = "the session has ended"});
      return absl::OkStatus();
    };
    auto cache =
        storage::BlockCache::Open(folder_.path(), {.capacity_bytes = 1 << 20, .min_free_bytes = 0});
    EXPECT_TRUE(cache.ok()) << cache.status();
    cache_ = *std::move(cache);
  }
  static std::string FirstBlock() {
    MemoryBlocks blocks;
    const auto manifest =
        dataset::ManifestFromJson(MakeMemoryJob(blocks, 0.1, 2).train_manifest, "manifest");
    EXPECT_TRUE(manifest.ok()) << manifest.status();
    return manifest->blocks.front().sha256;
  }
  std::string FileOf(const std::string& name) const { return folder_ / ("blocks/" + name); }
  void ExpectBlock(BlockFetcher& fetcher) {
    const auto block = fetcher.Get(block_);
    DL_ASSERT_OK(block);
    EXPECT_EQ(Sha256Hex(**block), block_);
  }
  // Opens the pipe for the thread that waits for it.
  static void Release(const std::string& pipe, int how) {
    const FileDescriptor other_end(open(pipe.c_str(), how | O_CLOEXEC));
    EXPECT_TRUE(other_end.valid());
  }

  const test::TempFolder folder_;
  const std::string block_ = FirstBlock();
  ScriptedMaster master_;
  std::atomic<int> fetches_ = 0;
  std::atomic<uint64_t> session_ = 0;  // of the last request
  static constexpr uint64_t kEnded = 9;
  std::shared_ptr<storage::BlockCache> cache_;
};

TEST_F(BlockFetcherTest, SecondReadIsFromTheCache) {
  BlockFetcher fetcher(master_, cache_);
  ExpectBlock(fetcher);
  ExpectBlock(fetcher);
  EXPECT_EQ(fetches_, 1);
  EXPECT_GT(fetcher.cached_bytes(), 0);
}

TEST_F(BlockFetcherTest, RequestsHaveTheSessionInUse) {
  BlockFetcher fetcher(master_, nullptr);
  for (const uint64_t session : {7, 8, 0}) {
    fetcher.UseSession(session);
    ExpectBlock(fetcher);
    EXPECT_EQ(session_, session);
  }
}

TEST_F(BlockFetcherTest, EndedSessionCostsNoBlock) {
  BlockFetcher fetcher(master_, nullptr);
  fetcher.UseSession(kEnded);
  ExpectBlock(fetcher);
  EXPECT_EQ(session_, 0);
}

TEST_F(BlockFetcherTest, HangingWriteCostsTheCacheOnly) {
  const std::string pipe = FileOf("0000000000000000-" + block_ + ".new");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  {
    BlockFetcher fetcher(master_, cache_, std::chrono::milliseconds(20));
    testing::internal::CaptureStderr();
    for (int i = 0; i < 3; ++i) ExpectBlock(fetcher);
    EXPECT_EQ(fetches_, 3);
    EXPECT_EQ(fetcher.cached_bytes(), 0) << "heartbeats ask for it and must not wait";
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                HasSubstr("the block cache in " + folder_.path() +
                          " has not answered for 0.02 s; blocks are fetched from the master"));
  }
  // The write goes on when the disk answers, although the fetcher is gone.
  std::weak_ptr<storage::BlockCache> cache = std::exchange(cache_, nullptr);
  EXPECT_FALSE(cache.expired());
  Release(pipe, O_RDONLY);
  while (!cache.expired()) std::this_thread::yield();
}

TEST_F(BlockFetcherTest, CacheIsUsedAgainOnceItsDiskAnswers) {
  BlockFetcher fetcher(master_, cache_, std::chrono::milliseconds(20));
  ExpectBlock(fetcher);
  const std::vector<std::string> files = test::FilesEndingIn(folder_ / "blocks", block_);
  ASSERT_EQ(files.size(), 1u);
  std::filesystem::remove(files[0]);
  ASSERT_EQ(mkfifo(files[0].c_str(), 0600), 0);
  ExpectBlock(fetcher);
  EXPECT_EQ(fetches_, 2);
  Release(files[0], O_WRONLY);
  // The late answer is an empty file, which is damaged. The block is then cached again.
  while (cache_->damaged() == 0) std::this_thread::yield();
  const auto cached = [&] {
    const int before = fetches_;
    ExpectBlock(fetcher);
    return fetches_ == before;
  };
  while (!HasFailure() && !cached()) std::this_thread::yield();
  EXPECT_GT(fetcher.cached_bytes(), 0);
}

}  // namespace
}  // namespace dl::executor
