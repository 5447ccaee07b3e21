#include "executor/job_context.h"

#include "base/checksum.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/executor/memory_job.h"

namespace dl::executor {
namespace {

using dl::test::IsError;

// A master with one job.
class OneJob final : public rpc::ExecutorService {
 public:
  StatusOr<rpc::FetchJobReply> FetchJob(const rpc::FetchJobRequest&, Duration) override {
    ++asked;
    return documents;
  }
  rpc::FetchJobReply documents;
  int asked = 0;

  StatusOr<rpc::RegisterReply> Register(const rpc::RegisterRequest&, Duration) override {
    return no_;
  }
  StatusOr<rpc::HeartbeatReply> Heartbeat(const rpc::HeartbeatRequest&, Duration) override {
    return no_;
  }
  Status Goodbye(const rpc::GoodbyeRequest&, Duration) override { return no_; }
  StatusOr<rpc::LeaseReply> LeaseUnits(const rpc::LeaseRequest&, Duration) override { return no_; }
  StatusOr<rpc::AnnounceReply> Announce(const rpc::AnnounceRequest&, Duration) override {
    return no_;
  }
  Status ReportFailure(const rpc::FailureReport&, Duration) override { return no_; }
  StatusOr<rpc::Chunk> FetchPart(const rpc::FetchRequest&, Duration) override { return no_; }
  StatusOr<rpc::Chunk> FetchBlock(const rpc::FetchRequest&, Duration) override { return no_; }
  StatusOr<rpc::ContributionReply> Contribute(const rpc::ContributionChunk&, Duration) override {
    return no_;
  }
  Status OfferPart(const rpc::OfferChunk&, Duration) override { return no_; }
  void ConnectionLost(uint64_t) override {}

 private:
  const Status no_ = absl::UnimplementedError("");
};

TEST(JobContexts, JobIsFetchedOncePerSpec) {
  MemoryBlocks blocks;
  const MemoryJob first = MakeMemoryJob(blocks, 0.1), second = MakeMemoryJob(blocks, 0.001);
  const std::string first_spec = Sha256Hex(first.Documents().spec);
  const std::string second_spec = Sha256Hex(second.Documents().spec);
  OneJob master;
  JobContexts jobs(master, first.blocks);
  master.documents = first.Documents();
  const auto known = jobs.Get("memory-1", first_spec, 1);
  DL_ASSERT_OK(known);
  EXPECT_EQ((*known)->spec, first.spec);
  EXPECT_EQ(*jobs.Get("memory-1", first_spec, 1), *known);
  EXPECT_EQ(master.asked, 1);

  // The job was leased by an earlier master, and the present master sends another spec for its
  // name. Then the other way round.
  EXPECT_THAT(jobs.Get("memory-1", second_spec, 1),
              IsError(absl::StatusCode::kUnavailable, "memory-1"));
  master.documents = second.Documents();
  const auto other = jobs.Get("memory-1", second_spec, 2);
  DL_ASSERT_OK(other);
  EXPECT_EQ((*other)->spec, second.spec);
  EXPECT_THAT(jobs.Get("memory-1", first_spec, 1),
              IsError(absl::StatusCode::kUnavailable, "memory-1"));
  EXPECT_EQ(*jobs.Get("memory-1", second_spec, 2), *other) << "a refusal replaces nothing";
}

TEST(JobContexts, UsedContextStays) {
  MemoryBlocks blocks;
  const MemoryJob job = MakeMemoryJob(blocks, 0.1);
  OneJob master;
  master.documents = job.Documents();
  JobContexts jobs(master, job.blocks);
  const std::string spec = Sha256Hex(master.documents.spec);
  for (int i = 1; i <= 20; ++i) {
    DL_ASSERT_OK(jobs.Get("a", spec, 1));
    DL_ASSERT_OK(jobs.Get("z-" + std::to_string(i), spec, 1));
  }
  EXPECT_EQ(master.asked, 21) << "one of them once each";
}

}  // namespace
}  // namespace dl::executor
