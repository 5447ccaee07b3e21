// If a unit cannot be computed, the executor reports whose fault it is. If only a fetch failed, the
// executor tries again and reports nothing.
#include <atomic>
#include <limits>

#include "base/checksum.h"
#include "executor/executor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/executor/scripted_master.h"

namespace dl::executor {
namespace {

using testing::HasSubstr;
using Heard = ScriptedMaster::Heard;

constexpr int kTimes = 3;

class FaultsTest : public testing::Test {
 protected:
  std::unique_ptr<Executor> Start(const std::string& contract = ScriptedMaster::kContract) {
    return std::make_unique<Executor>(ExecutorOptions{
        .core = {.name = "e1", .contracts = {{contract, "avx2"}}}, .master = &master_});
  }
  // Waits for the first failure report or the first complete contribution.
  void WaitForAnEnd() {
    EXPECT_TRUE(master_.WaitUntil(
        [](const Heard& heard) { return !heard.failures.empty() || !heard.contributed.empty(); }));
  }
  void ExpectComputedWithoutAReport(const std::atomic<int>& failed) {
    master_.LeaseOut(1);
    const auto executor = Start();
    WaitForAnEnd();
    const Heard heard = master_.heard();
    EXPECT_GE(failed, kTimes);
    EXPECT_EQ(heard.contributed.size(), 1u);
    ASSERT_TRUE(heard.failures.empty()) << heard.failures[0].message;
    EXPECT_EQ(heard.announced.at(0).lease, 1u) << "under the lease that it has";
  }
  rpc::FailureReport TheReport(const std::string& contract = ScriptedMaster::kContract) {
    master_.LeaseOut(1);
    const auto executor = Start(contract);
    WaitForAnEnd();
    const Heard heard = master_.heard();
    EXPECT_TRUE(heard.contributed.empty());
    return heard.failures.empty() ? rpc::FailureReport{} : heard.failures[0];
  }

  ScriptedMaster master_;
};

TEST_F(FaultsTest, LostTransferIsFetchedAgain) {
  std::atomic<int> calls = 0;
  const auto lose_some = [&](const auto&, rpc::Chunk&) -> Status {
    if (++calls > kTimes) return absl::OkStatus();
    return calls % 2 == 0 ? Unavailable({.message = "lost"})
                          : DeadlineExceeded({.message = "late"});
  };
  master_.on_fetch_part = lose_some;
  ExpectComputedWithoutAReport(calls);
}

TEST_F(FaultsTest, RefusedRequestIsRepeated) {
  std::atomic<int> calls = 0;
  const Status refusals[] = {ResourceExhausted({.message = "too many connections"}),
                             Internal({.message = "the master's disk"}),
                             InvalidArgument({.message = "cannot be read"})};
  master_.on_fetch_job = [&](const auto&) -> Status {
    const int call = calls++;
    return call < kTimes ? refusals[call] : absl::OkStatus();
  };
  ExpectComputedWithoutAReport(calls);
}

TEST_F(FaultsTest, MissingStateIsRequestedAgain) {
  std::atomic<int> calls = 0;
  master_.on_fetch_part = [&](const auto&, rpc::Chunk&) -> Status {
    return ++calls <= kTimes ? NotFound({.message = "no such state"}) : absl::OkStatus();
  };
  ExpectComputedWithoutAReport(calls);
}

TEST_F(FaultsTest, DamagedStateIsFetchedAgain) {
  std::atomic<int> calls = 0;
  master_.on_fetch_part = [&](const auto&, rpc::Chunk& chunk) -> Status {
    if (++calls > kTimes) return absl::OkStatus();
    chunk.bytes[5] ^= 1;
    chunk.chunk_xxh3 = Xxh3(chunk.bytes);
    return absl::OkStatus();
  };
  ExpectComputedWithoutAReport(calls);
}

TEST_F(FaultsTest, LostBlockIsFetchedAgain) {
  std::atomic<int> calls = 0;
  master_.on_fetch_block = [&](const rpc::FetchRequest& request, rpc::Chunk& chunk) -> Status {
    EXPECT_TRUE(master_.FindSession(request.session)) << "else it has the memory of clients";
    switch (++calls) {
      case 1:
        return Unavailable({.message = "lost"});
      case 2:
        return ResourceExhausted({.message = "too many connections"});
      case 3:
        chunk.bytes[5] ^= 1;  // wrong bytes with a correct checksum
        chunk.chunk_xxh3 = Xxh3(chunk.bytes);
    }
    return absl::OkStatus();
  };
  ExpectComputedWithoutAReport(calls);
}

// The data itself is damaged: no executor can compute the unit, and the job must report the error.
TEST_F(FaultsTest, BlockMissingOnMasterFailsUnit) {
  for (const Status& lost :
       {DataLoss({.message = "stored block is damaged"}), NotFound({.message = "not stored"})}) {
    ScriptedMaster master;
    master.on_fetch_block = [&](const auto&, rpc::Chunk&) { return lost; };
    master.LeaseOut(1);
    Executor executor(
        {.core = {.contracts = {{ScriptedMaster::kContract, "avx2"}}}, .master = &master});
    ASSERT_TRUE(master.WaitUntil([](const Heard& heard) { return !heard.failures.empty(); }));
    const rpc::FailureReport report = master.heard().failures[0];
    EXPECT_EQ(report.fault, rpc::Fault::kUnit);
    EXPECT_EQ(report.code, ErrorCodeName(lost.code()));
  }
}

TEST_F(FaultsTest, WrongContractIsFaultOfExecutor) {
  const rpc::FailureReport report = TheReport("another contract");
  EXPECT_EQ(report.fault, rpc::Fault::kExecutor);
  EXPECT_THAT(report.message, HasSubstr("another contract"));
}

TEST_F(FaultsTest, NonFiniteLossFailsUnit) {
  ScriptedMaster master(std::numeric_limits<float>::quiet_NaN());
  master.LeaseOut(1);
  Executor executor(
      {.core = {.contracts = {{ScriptedMaster::kContract, "avx2"}}}, .master = &master});
  ASSERT_TRUE(master.WaitUntil(
      [](const Heard& heard) { return !heard.failures.empty() || !heard.contributed.empty(); }));
  ASSERT_EQ(master.heard().failures.size(), 1u);
  EXPECT_TRUE(master.heard().failures[0].not_finite);
  EXPECT_EQ(master.heard().failures[0].fault, rpc::Fault::kUnit);
}

// Each kind of call fails once. Heartbeats must count each retry.
TEST_F(FaultsTest, HeartbeatsCountRetries) {
  std::atomic<int> jobs = 0, parts = 0, blocks = 0, sent = 0;
  const auto first = [](std::atomic<int>& calls) -> Status {
    return ++calls == 1 ? Unavailable({.message = "lost"}) : absl::OkStatus();
  };
  master_.on_fetch_job = [&](const auto&) { return first(jobs); };
  master_.on_fetch_block = [&](const auto&, rpc::Chunk&) { return first(blocks); };
  master_.on_contribute = [&](const auto&) { return first(sent); };
  // The second part arrives with a wrong piece.
  master_.on_fetch_part = [&](const auto&, rpc::Chunk& chunk) -> Status {
    if (Status lost = first(parts); !lost.ok() || parts > 2) return lost;
    chunk.bytes[5] ^= 1;
    chunk.chunk_xxh3 = Xxh3(chunk.bytes);
    return absl::OkStatus();
  };
  master_.LeaseOut(1);
  const auto executor = Start();
  const rpc::Retries expected{.jobs = 1, .states = 2, .blocks = 1, .results = 1};
  EXPECT_TRUE(master_.WaitUntil([&](const Heard& heard) {
    return !heard.contributed.empty() && !heard.heartbeats.empty() &&
           heard.heartbeats.back().retries == expected;
  }));
}

}  // namespace
}  // namespace dl::executor
