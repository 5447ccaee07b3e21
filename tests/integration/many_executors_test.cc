// A master with hundreds of executors that compute nothing. Each unit is accepted once, rounds
// commit, and the number of executors does not change the result.
#include "gtest/gtest.h"
#include "launch/clusters/executor_identity.h"
#include "launch/pause.h"
#include "tests/integration/bounds.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/support/process_figures.h"
#include "tests/support/protocol_only/protocol_executors.h"
#include "tests/support/status_matchers.h"

namespace dl::test {
namespace {

constexpr int kMany = 200;
constexpr int64_t kWorkers = 250;
constexpr int64_t kRoundsOfMany = 3;

class ManyExecutorsTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto spec =
        SyntheticJob(folder_ / "data", {.workers = kWorkers, .rounds = kRoundsOfMany});
    DL_ASSERT_OK(spec);
    job_file_ = WriteJob(folder_, "job", *spec);
    const auto identity = launch::MakeExecutorOptions({});
    DL_ASSERT_OK(identity);
    contract_ = identity->contracts.front().contract;
    isa_ = identity->contracts.front().isa;
    ASSERT_NO_FATAL_FAILURE(cluster_.StartMaster());
  }
  std::unique_ptr<ProtocolExecutors> Start(int count) {
    return std::make_unique<ProtocolExecutors>(
        ProtocolExecutors::Options{.master = {"127.0.0.1", cluster_.port()},
                                   .credentials = cluster_.credentials(),
                                   .count = count,
                                   .contract = contract_,
                                   .isa = isa_});
  }
  void WaitUntil(const std::function<bool()>& holds) {
    const Instant patience = Clock::Real().Now() + kTimeout;
    while (!holds()) {
      ASSERT_LT(Clock::Real().Now(), patience);
      launch::Pause(std::chrono::milliseconds(20));
    }
  }

  const TempFolder folder_;
  StandingCluster cluster_{folder_};
  std::string job_file_, contract_, isa_;
};

TEST_F(ManyExecutorsTest, EachUnitIsComputedOnce) {
  std::string hashes[2];
  for (const int count : {3, kMany}) {
    const auto executors = Start(count);
    ASSERT_NO_FATAL_FAILURE(WaitUntil([&] { return executors->registered() == count; }))
        << executors->last_error();
    const std::string id = cluster_.Submit(job_file_);
    const Json result = cluster_.Wait(id);
    EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result.dump() << executors->last_error();
    EXPECT_EQ(result.value("rounds", 0), kRoundsOfMany);
    hashes[count == kMany] = result.value("state_sha256", "");
    EXPECT_EQ(result.value("examples", int64_t{0}), kWorkers * kRoundsOfMany);
    // On a slow machine an executor repeats a call whose answer came too late, so the count may
    // differ.
    if (executors->errors() == 0) {
      EXPECT_EQ(executors->accepted(), kWorkers * kRoundsOfMany);
    }
    // A replaced connection may still exist next to the new one for a moment.
    ASSERT_NO_FATAL_FAILURE(WaitUntil(
        [&] { return ConnectionsOf(cluster_.MasterPid(), cluster_.port()) <= 3 * count; }));
  }
  EXPECT_EQ(hashes[0].size(), 64u);
  EXPECT_EQ(hashes[0], hashes[1]);
}

TEST_F(ManyExecutorsTest, MasterSurvivesLossOfAllExecutors) {
  auto executors = Start(kMany);
  const std::string id = cluster_.Submit(job_file_);
  ASSERT_NO_FATAL_FAILURE(WaitUntil([&] { return executors->contributed() > kWorkers; }))
      << executors->last_error();
  executors.reset();
  // The master still answers and notices that they are gone. New executors continue the job.
  ASSERT_NO_FATAL_FAILURE(WaitUntil([&] { return cluster_.Cluster().at("executors").empty(); }));
  EXPECT_EQ(ConnectionsOf(cluster_.MasterPid(), cluster_.port()), 0);
  const auto others = Start(5);
  EXPECT_EQ(cluster_.Wait(id).value("state", ""), "SUCCEEDED");
}

}  // namespace
}  // namespace dl::test
