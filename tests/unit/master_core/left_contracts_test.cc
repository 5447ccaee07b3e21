// A job that has no committed round leaves a kernel contract that other executors outvote.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {
namespace {

using testing::HasSubstr;

// Executor "liar" was alone when the job started, and its contract is one that no other executor
// has.
class LeftContracts : public testing::Test {
 protected:
  LeftContracts() : core_({.contract_grace = std::chrono::milliseconds(700)}) {}
  void SetUp() override {
    core_.Wait(core_.options().return_grace);
    liar_ = Register("liar", "false");
    core_.Wait(std::chrono::seconds(1));
    id_ = *core_.Submit(CoreHarness::Definition());
    core_.StateIsPrepared(id_);
    ASSERT_EQ(contract(), "false");
  }
  uint64_t Register(const std::string& name, const std::string& contract) {
    return core_.Register(name, {.slots = 8, .contracts = {{contract, "avx2"}}});
  }
  const Job& job() const { return core_.job(id_); }
  const std::string& contract() const { return job().record.contract; }
  void KeepAlive(Duration time, const std::vector<uint64_t>& sessions) {
    for (Duration passed{}; passed < time; passed += std::chrono::seconds(1)) {
      core_.Wait(std::chrono::seconds(1));
      for (const uint64_t session : sessions) core_.Heartbeat(session);
    }
  }
  // The executor reports a failure of each unit that it gets under that contract.
  void FailUnits(uint64_t session, const std::string& under, int times) {
    for (int i = 0; i < times && contract() == under; ++i) {
      const auto leases = core_.LeaseUnits(session);
      for (const rpc::Lease& lease : leases)
        DL_EXPECT_OK(core_.ReportFailure(session, lease, "internal"));
      core_.Wait(std::chrono::seconds(1));
      for (const auto& [other, unused] : core_.core().sessions()) core_.Heartbeat(other);
    }
  }

  CoreHarness core_;
  uint64_t liar_ = 0;
  std::string id_;
};

TEST_F(LeftContracts, UnofferedContractIsLeftAfterTimeout) {
  core_.Do(Asked<rpc::GoodbyeRequest>{990, {.session = liar_}});
  const uint64_t honest = Register("honest", "true");
  KeepAlive(std::chrono::seconds(5), {honest});
  EXPECT_EQ(contract(), "false") << "its executor may come back";
  EXPECT_THAT(job().record.message, HasSubstr("it changes to another contract in a moment"));
  KeepAlive(std::chrono::seconds(6), {honest});
  EXPECT_EQ(contract(), "true");
  core_.StateIsPrepared(id_);
  EXPECT_EQ(job().record.state, JobState::kRunning);
  EXPECT_EQ(job().log.head.ContractOf(1), "true");
  const auto leases = core_.LeaseUnits(honest);
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].expected_contract, "true");
  core_.Restart();
  EXPECT_EQ(contract(), "true");
}

TEST_F(LeftContracts, ContractOfOneExecutorIsLeftForAContractOfTwo) {
  const uint64_t a = Register("a", "true");
  KeepAlive(std::chrono::seconds(20), {liar_, a});
  EXPECT_EQ(contract(), "false") << "one executor against another";
  const uint64_t b = Register("b", "true");
  KeepAlive(std::chrono::seconds(9), {liar_, a, b});
  EXPECT_EQ(contract(), "false");
  KeepAlive(std::chrono::seconds(3), {liar_, a, b});
  EXPECT_EQ(contract(), "true");
}

TEST_F(LeftContracts, FailingJobLeavesContractAtOnce) {
  Register("a", "true");
  Register("b", "true");
  FailUnits(liar_, "false", 5);
  EXPECT_EQ(contract(), "true");
  EXPECT_EQ(job().record.state, JobState::kRecovering);
  core_.StateIsPrepared(id_);
  EXPECT_EQ(job().record.state, JobState::kRunning);
}

TEST_F(LeftContracts, FailingJobTriesEachContractOnce) {
  const uint64_t honest = Register("honest", "true");
  FailUnits(liar_, "false", 5);
  ASSERT_EQ(contract(), "true");
  core_.StateIsPrepared(id_);
  FailUnits(honest, "true", 5);
  KeepAlive(std::chrono::seconds(40), {liar_, honest});
  EXPECT_EQ(job().record.state, JobState::kFailed);
  EXPECT_EQ(job().record.reason, Reason::kUnitFailed);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kResume}));
  EXPECT_TRUE(job().failed_under.empty());
}

TEST_F(LeftContracts, JobWithCommittedRoundKeepsContract) {
  core_.CompleteRound(id_, liar_);
  core_.Do(Asked<rpc::GoodbyeRequest>{990, {.session = liar_}});
  const uint64_t a = Register("a", "true"), b = Register("b", "true");
  KeepAlive(std::chrono::seconds(30), {a, b});
  EXPECT_EQ(contract(), "false");
  EXPECT_EQ(job().record.state, JobState::kWaiting);
}

TEST_F(LeftContracts, LateResultOfLeftContractIsUnwanted) {
  const rpc::Lease lease = core_.LeaseUnits(liar_).at(0);
  rpc::AnnounceRequest late = core_.Announcement(liar_, lease, 66);
  late.ticket = lease.ticket;
  const uint64_t a = Register("a", "true"), b = Register("b", "true");
  KeepAlive(std::chrono::seconds(12), {liar_, a, b});
  ASSERT_EQ(contract(), "true");
  core_.StateIsPrepared(id_);
  EXPECT_EQ(core_.Ask<rpc::AnnounceReply>(ParseAnnouncement(late))->verdict,
            rpc::Verdict::kUnwanted);
}

// Contracts of executors that are registered when a job's contract is decided.
class OfferedByTwo : public LeftContracts {
 protected:
  void SetUp() override {}
  std::string ContractOfANewJob() {
    core_.Wait(std::chrono::seconds(1));
    return core_.job(*core_.Submit(CoreHarness::Definition())).record.contract;
  }
};

TEST_F(OfferedByTwo, PrecedesSingleExecutorWithMoreSlots) {
  core_.Register("liar", {.slots = 1000, .contracts = {{"false", "avx2"}}});
  Register("a", "true");
  Register("b", "true");
  EXPECT_EQ(ContractOfANewJob(), "true");
}

TEST_F(OfferedByTwo, PrecedesLowerIsaOfSingleExecutor) {
  core_.Register("liar", {.slots = 1, .contracts = {{"false", "avx2"}}});
  core_.Register("a", {.slots = 1, .contracts = {{"c512", "avx512"}}});
  core_.Register("b", {.slots = 1, .contracts = {{"c512", "avx512"}}});
  EXPECT_EQ(ContractOfANewJob(), "c512");
}

TEST_F(OfferedByTwo, SecondExecutorMayOfferContractLater) {
  core_.Register("liar", {.slots = 1000, .contracts = {{"false", "avx2"}}});
  core_.Register("slow", {.slots = 1, .contracts = {{"c2", "avx2"}}});
  core_.Register("fast", {.slots = 1, .contracts = {{"c512", "avx512"}, {"c2", "avx2"}}});
  EXPECT_EQ(ContractOfANewJob(), "c2");
}

}  // namespace
}  // namespace dl::master
