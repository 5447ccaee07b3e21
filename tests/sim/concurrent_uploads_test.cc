// Uploads at the same time, on a disk on which some writes are slow, in virtual time.
#include <optional>
#include <string>

#include "base/checksum.h"
#include "base/thread.h"
#include "gtest/gtest.h"
#include "master/core/record_keys.h"
#include "master/gateway/uploads.h"
#include "storage/memory_meta_store.h"
#include "tests/sim/virtual_time_test.h"
#include "tests/support/status_matchers.h"

namespace dl::sim {
namespace {

using std::chrono::seconds;

// Each write takes as long as the test says when the write begins.
class SlowMetaStore final : public storage::MetaStore {
 public:
  Duration time_of_write{};

  Status Write(const storage::MetaBatch& batch) override {
    if (!batch.empty()) VirtualThread::Current().Sleep(time_of_write);
    return memory_.Write(batch);
  }
  StatusOr<std::optional<std::string>> Get(std::string_view key) override {
    return memory_.Get(key);
  }
  Status Scan(std::string_view prefix, const Visitor& visit) override {
    return memory_.Scan(prefix, visit);
  }
  Status Reclaim(std::string_view) override { return absl::OkStatus(); }
  uint64_t index() const override { return memory_.index(); }

 private:
  storage::MemoryMetaStore memory_;
};

class NoBlocks final : public storage::ContentStore {
 public:
  Status Put(std::span<const storage::Blob>) override { return absl::OkStatus(); }
  StatusOr<std::vector<std::string>> Missing(std::span<const std::string>) override {
    return std::vector<std::string>();
  }
  Status Delete(std::span<const std::string>) override { return absl::OkStatus(); }
};

class ConcurrentUploads : public VirtualTimeTest {
 protected:
  ~ConcurrentUploads() override { threads_.End(); }
  // Calls `call` on a thread of its own, `after` from now. Its writes take `time_of_write`.
  void Call(Duration after, Duration time_of_write, std::function<void()> call) {
    agenda_.After(after, [this, time_of_write, call = std::move(call)] {
      meta_.time_of_write = time_of_write;
      callers_.emplace_back("caller", call);
    });
  }
  void PutBlock() { DL_EXPECT_OK(uploads_.Put({.sha256 = {name_}, .sizes = {1}, .bytes = "b"})); }
  // Returns the time of the block in the store, relative to the start of the test.
  std::optional<int64_t> StoredTime() {
    const auto note = meta_.Get(master::keys::Uploaded(name_));
    if (!note.ok() || !*note) return std::nullopt;
    return std::stoll(**note) - start_unix_ms_;
  }

  const int64_t start_unix_ms_ = Clock::Real().WallUnixMs();
  const std::string name_ = Sha256Hex("b");
  SlowMetaStore meta_;
  NoBlocks blocks_;
  master::Uploads uploads_{{.meta = &meta_, .blobs = &blocks_}};
  std::vector<Thread> callers_;
};

TEST_F(ConcurrentUploads, SlowWriteOfFirstUploadKeepsTimeOfSecond) {
  Call(seconds(1), seconds(10), [this] { PutBlock(); });
  Call(seconds(5), {}, [this] { PutBlock(); });
  RunAll();
  ASSERT_TRUE(StoredTime());
  EXPECT_GE(*StoredTime(), 5'000);
}

TEST_F(ConcurrentUploads, UploadAfterSubmissionOfJobKeepsItsTime) {
  Call({}, {}, [this] { PutBlock(); });
  Call(seconds(1), seconds(10), [this] { uploads_.RecordNamed({&name_, 1}); });
  Call(seconds(5), {}, [this] { PutBlock(); });
  RunAll();
  EXPECT_TRUE(StoredTime());
}

}  // namespace
}  // namespace dl::sim
