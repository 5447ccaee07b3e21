// The kernel contract under which a job is computed.
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

bool IsNotMadeUp(const std::string& contract, const std::string&) { return contract != "made up"; }

class Contracts : public testing::Test {
 protected:
  Contracts()
      : core_(
            {.contract_grace = std::chrono::milliseconds(700), .is_known_contract = IsNotMadeUp}) {}
  std::string Submit(const std::string& isa = "",
                     nn::Precision precision = nn::Precision::kFloat32) {
    JobDefinition definition = CoreHarness::Definition();
    definition.isa = isa;
    definition.precision = precision;
    auto id = core_.Submit(definition, "r" + std::to_string(++requests_));
    DL_CHECK(id.ok());
    return *id;
  }
  std::string SubmitPortable() {
    JobDefinition definition = CoreHarness::Definition();
    definition.kernels = nn::KernelSet::kPortable;
    auto id = core_.Submit(definition, "r" + std::to_string(++requests_));
    DL_CHECK(id.ok());
    return *id;
  }
  uint64_t Register(const std::string& name, const std::string& contract, const std::string& isa,
                    int32_t slots = 1) {
    return core_.Register(name, {.slots = slots, .contracts = {{contract, isa}}});
  }
  std::string ContractOf(const std::string& id) const { return core_.job(id).record.contract; }

  CoreHarness core_;
  int requests_ = 0;
};

TEST_F(Contracts, LowestIsaIsChosenAndReported) {
  core_.Register("fast", {.slots = 1, .contracts = {{"c512", "avx512"}, {"c2", "avx2"}}});
  const auto told = [&] { return absl::StrJoin(core_.Warnings(), "\n"); };
  core_.Wait(std::chrono::seconds(1));
  core_.Heartbeat(core_.core().sessions().begin()->first);
  EXPECT_EQ(ContractOf(Submit()), "c512");
  EXPECT_THAT(told(), testing::Not(HasSubstr("instruction set")));
  Register("slow", "c2", "avx2");
  core_.Wait(std::chrono::seconds(1));
  const std::string id = Submit();
  EXPECT_EQ(ContractOf(id), "c2");
  EXPECT_THAT(told(), HasSubstr("it is computed with avx2, the lowest instruction set of the "
                                "registered executors: slow. 1 executor has avx512"));
  EXPECT_THAT(core_.Remedies(),
              testing::Contains(
                  rpc::Remedy{.kind = rpc::RemedyKind::kChooseIsa, .job = id, .isa = "avx512"}));
  Submit("avx2");
  EXPECT_THAT(told(), testing::Not(HasSubstr("lowest instruction set")));
}

TEST_F(Contracts, PrecisionOfJobSelectsContracts) {
  core_.Register("intel", {.slots = 1, .contracts = {{"c512", "avx512"}, {"camx", "amx"}}});
  Register("old", "c2", "avx2");
  core_.Wait(std::chrono::seconds(1));
  EXPECT_EQ(ContractOf(Submit()), "c2");
  const std::string in_bf16 = Submit("", nn::Precision::kBf16);
  EXPECT_EQ(ContractOf(in_bf16), "camx");
  EXPECT_THAT(core_.Query("job", in_bf16)["excluded"], ElementsAre("old"));
  core_.Register("amd", {.slots = 1, .contracts = {{"c512", "avx512"}, {"cbf16", "avx512_bf16"}}});
  core_.Wait(std::chrono::seconds(1));
  EXPECT_EQ(ContractOf(Submit("", nn::Precision::kBf16)), "cbf16") << "more machines have it";
  EXPECT_EQ(ContractOf(Submit("amx", nn::Precision::kBf16)), "camx");
}

TEST_F(Contracts, JobInBf16WaitsForExecutorsThatHaveIt) {
  Register("old", "c512", "avx512");
  core_.Wait(std::chrono::seconds(1));
  const std::string id = Submit("", nn::Precision::kBf16);
  EXPECT_EQ(ContractOf(id), "");
  core_.Wait(std::chrono::seconds(1));
  EXPECT_THAT(
      core_.Query("job", id).dump(),
      HasSubstr("no executor is registered that computes in bf16, with isa avx512_bf16 or amx"));
  core_.Register("new", {.slots = 1, .contracts = {{"c512", "avx512"}, {"camx", "amx"}}});
  core_.Wait(std::chrono::seconds(1));
  EXPECT_EQ(ContractOf(id), "camx");
}

TEST_F(Contracts, RebindKeepsThePrecision) {
  core_.Register("new", {.slots = 1, .contracts = {{"c512", "avx512"}, {"camx", "amx"}}});
  core_.Wait(std::chrono::seconds(1));
  const std::string id = Submit("", nn::Precision::kBf16);
  ASSERT_TRUE(core_.Act({.job = id, .action = rpc::JobAction::kCancel}).ok());
  const auto refused =
      core_.Act({.job = id, .action = rpc::JobAction::kResume, .rebind = true, .isa = "avx512"});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(DescribeError(refused.status()),
              HasSubstr("not an instruction set of the precision bf16"));
}

// Executors of each instruction set compute it, also if their native contracts come first.
TEST_F(Contracts, PortableJobIsComputedByEveryExecutor) {
  const uint64_t slow =
      core_.Register("slow", {.slots = 1, .contracts = {{"c2", "avx2"}, {"portable/1", ""}}});
  const uint64_t fast = core_.Register(
      "fast", {.slots = 1, .contracts = {{"c512", "avx512"}, {"camx", "amx"}, {"portable/1", ""}}});
  core_.Wait(std::chrono::seconds(1));
  const std::string id = SubmitPortable();
  EXPECT_EQ(ContractOf(id), "portable/1");
  EXPECT_THAT(core_.Query("job", id)["excluded"], IsEmpty());
  EXPECT_THAT(core_.Warnings(), IsEmpty());
  core_.StateIsPrepared(id);
  for (const uint64_t session : {slow, fast}) {
    const std::vector<rpc::Lease> leases = core_.LeaseUnits(session);
    ASSERT_EQ(leases.size(), 1u);
    EXPECT_EQ(leases[0].expected_contract, "portable/1");
  }
  EXPECT_EQ(ContractOf(Submit()), "c2") << "a native job";
  EXPECT_EQ(ContractOf(Submit("", nn::Precision::kBf16)), "camx");
}

TEST_F(Contracts, ExecutorWithoutPortableKernelsGetsNoUnitsOfPortableJob) {
  const uint64_t old = Register("old", "c2", "avx2");
  core_.Wait(std::chrono::seconds(1));
  const std::string id = SubmitPortable();
  EXPECT_EQ(ContractOf(id), "");
  core_.Wait(std::chrono::seconds(1));
  EXPECT_THAT(core_.job(id).record.message,
              HasSubstr("no executor is registered that offers portable kernels"));
  core_.Register("new", {.slots = 1, .contracts = {{"c2", "avx2"}, {"portable/1", ""}}});
  core_.Wait(std::chrono::seconds(1));
  EXPECT_EQ(ContractOf(id), "portable/1");
  EXPECT_THAT(core_.Warnings(),
              testing::Contains(testing::AllOf(HasSubstr("the job's, portable/1"),
                                               HasSubstr("executors of other versions"))));
  EXPECT_THAT(core_.Query("job", id)["excluded"], ElementsAre("old"));
  core_.StateIsPrepared(id);
  EXPECT_TRUE(core_.LeaseUnits(old).empty());
}

// A job cannot change its kernels, and portable kernels have no instruction set.
TEST_F(Contracts, RebindKeepsPortableKernels) {
  const auto session =
      core_.Register("old", {.slots = 1, .contracts = {{"c2", "avx2"}, {"portable/1", ""}}});
  core_.Wait(std::chrono::seconds(1));
  const std::string id = SubmitPortable();
  core_.StateIsPrepared(id);
  core_.CompleteRound(id, session);
  core_.Do(SessionDisconnected{session});
  core_.Wait(std::chrono::seconds(30));
  core_.Register("new", {.slots = 1, .contracts = {{"c2", "avx2"}, {"portable/2", ""}}});
  core_.Wait(std::chrono::seconds(1));
  EXPECT_THAT(core_.job(id).record.message,
              HasSubstr("under the job's kernel contract portable/1; others offer portable/2"));
  EXPECT_EQ(core_.job(id).record.remedy,
            (rpc::Remedy{.kind = rpc::RemedyKind::kRebind, .job = id}));
  ASSERT_TRUE(core_.Act({.job = id, .action = rpc::JobAction::kCancel}).ok());
  core_.CheckpointIsWritten(id, 1);
  const auto refused =
      core_.Act({.job = id, .action = rpc::JobAction::kResume, .rebind = true, .isa = "avx2"});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(DescribeError(refused.status()), HasSubstr("the job has portable kernels"));
  DL_ASSERT_OK(core_.Act({.job = id, .action = rpc::JobAction::kResume, .rebind = true}));
  EXPECT_EQ(ContractOf(id), "portable/2");
}

// Jobs share the answer to the question whether a contract exists only if they ask for the same.
TEST_F(Contracts, WaitingJobsWithOtherKernelsDelayNoJob) {
  const std::string in_bf16 = Submit("", nn::Precision::kBf16), portable = SubmitPortable();
  const std::string native = Submit();
  Register("old", "c2", "avx2");
  core_.Wait(std::chrono::seconds(1));
  EXPECT_EQ(ContractOf(in_bf16), "");
  EXPECT_EQ(ContractOf(portable), "");
  EXPECT_EQ(ContractOf(native), "c2");
  EXPECT_THAT(core_.job(in_bf16).record.message, HasSubstr("in bf16"));
  EXPECT_THAT(core_.job(portable).record.message, HasSubstr("portable kernels"));
}

TEST_F(Contracts, OrderOfRegistrationDoesNotDecide) {
  const std::string id = Submit();
  Register("fast", "c512", "avx512");
  core_.Wait(std::chrono::milliseconds(300));
  EXPECT_EQ(ContractOf(id), "");
  Register("slow", "c2", "avx2");
  core_.Wait(std::chrono::milliseconds(300));
  EXPECT_EQ(ContractOf(id), "");
  EXPECT_LE(core_.core().NextDeadline(), core_.now + std::chrono::milliseconds(100));
  core_.Wait(std::chrono::milliseconds(200));
  EXPECT_EQ(ContractOf(id), "c2");
  EXPECT_THAT(core_.Query("job", id)["excluded"], ElementsAre("fast"));
}

// An executor proposes its first contract, and computes jobs under its other contracts as well.
TEST_F(Contracts, ExecutorWithTwoContractsComputesBoth) {
  const uint64_t both =
      core_.Register("both", {.slots = 1, .contracts = {{"c512", "avx512"}, {"c2", "avx2"}}});
  core_.Wait(std::chrono::seconds(1));
  const std::string fast = Submit();
  EXPECT_EQ(ContractOf(fast), "c512");
  const std::string asked = Submit("avx2");
  EXPECT_EQ(ContractOf(asked), "c2");
  Register("slow", "c2", "avx2");
  core_.Wait(std::chrono::seconds(1));
  const std::string mixed = Submit();
  EXPECT_EQ(ContractOf(mixed), "c2");
  EXPECT_THAT(core_.Query("job", mixed)["excluded"], IsEmpty());
  EXPECT_THAT(core_.Query("job", fast)["excluded"], ElementsAre("slow"));

  std::map<std::string, std::string> expected;  // by job
  for (const std::string& id : {fast, asked, mixed}) {
    core_.StateIsPrepared(id);
    for (const rpc::Lease& lease : core_.LeaseUnits(both, 8))
      expected[lease.unit.job] = lease.expected_contract;
  }
  EXPECT_THAT(expected,
              ElementsAre(std::pair(fast, "c512"), std::pair(asked, "c2"), std::pair(mixed, "c2")));
}

// A result computed before the job got its current contract belongs to the earlier contract,
// although the base is equal and the executor has both contracts.
TEST_F(Contracts, ResultOfFormerContractIsRefused) {
  const uint64_t both =
      core_.Register("both", {.slots = 1, .contracts = {{"c512", "avx512"}, {"c2", "avx2"}}});
  core_.Wait(std::chrono::seconds(1));
  const std::string id = Submit();
  core_.StateIsPrepared(id);
  const rpc::Lease before = core_.LeaseUnits(both).at(0);
  EXPECT_EQ(before.expected_contract, "c512");
  DL_ASSERT_OK(core_.Act({.job = id, .action = rpc::JobAction::kCancel}));
  core_.CheckpointIsWritten(id, 0);
  DL_ASSERT_OK(
      core_.Act({.job = id, .action = rpc::JobAction::kResume, .rebind = true, .isa = "avx2"}));
  core_.StateIsPrepared(id);
  ASSERT_EQ(ContractOf(id), "c2");
  rpc::AnnounceRequest late = core_.Announcement(both, before, 512);
  late.ticket = before.ticket;
  EXPECT_EQ(core_.Ask<rpc::AnnounceReply>(ParseAnnouncement(late))->verdict,
            rpc::Verdict::kUnwanted);
  const rpc::Lease now = core_.LeaseUnits(both).at(0);
  EXPECT_EQ(now.expected_contract, "c2");
  EXPECT_EQ(core_.Announce(both, now, 2)->verdict, rpc::Verdict::kSend);
  EXPECT_EQ(core_.Announce(both, now, 2)->verdict, rpc::Verdict::kSend) << "said again";
}

// The job had contract c2, then c512, under which round 1 was committed, and now has c2 again.
TEST_F(Contracts, LateResultOfOtherContractIsNotCompared) {
  const uint64_t slow = Register("slow", "c2", "avx2");
  core_.Wait(std::chrono::seconds(1));
  const std::string id = Submit("avx2");
  core_.StateIsPrepared(id);
  const rpc::Lease first = core_.LeaseUnits(slow).at(0);
  rpc::AnnounceRequest late = core_.Announcement(slow, first, 2);
  late.ticket = first.ticket;
  const auto rebind = [&](const std::string& isa) {
    DL_ASSERT_OK(core_.Act({.job = id, .action = rpc::JobAction::kCancel}));
    const int64_t round = core_.job(id).at;
    core_.CheckpointIsWritten(id, round);
    DL_ASSERT_OK(
        core_.Act({.job = id, .action = rpc::JobAction::kResume, .rebind = true, .isa = isa}));
    core_.StateIsPrepared(id, round);
  };
  const uint64_t fast = Register("fast", "c512", "avx512", 2);
  core_.Wait(std::chrono::seconds(1));
  rebind("avx512");
  core_.CompleteRound(id, fast);
  rebind("avx2");
  ASSERT_EQ(core_.job(id).record.contract, "c2");
  ASSERT_EQ(core_.job(id).log.committed, 1);
  EXPECT_EQ(core_.Ask<rpc::AnnounceReply>(ParseAnnouncement(late))->verdict,
            rpc::Verdict::kUnwanted);
  EXPECT_EQ(core_.job(id).log.committed, 1);
  EXPECT_EQ(core_.job(id).record.rollbacks, 0);
}

TEST_F(Contracts, PresentExecutorsDecideAtSubmission) {
  Register("fast", "c512", "avx512");
  Register("slow", "c2", "avx2");
  core_.Wait(std::chrono::seconds(1));
  core_.Do(Asked<Submission>{
      500, {.request_id = "r", .definition = CoreHarness::Definition(), .spec = "{}"}});
  const auto answers = core_.EffectsOf<Answer>();
  ASSERT_EQ(answers.size(), 1u);
  const auto& reply = std::get<rpc::SubmitReply>(answers[0].reply);
  EXPECT_EQ(reply.contract, "c2");
  EXPECT_EQ(reply.executors, 1);
  EXPECT_EQ(reply.excluded, 1);
  EXPECT_THAT(core_.Warnings(), testing::Contains(testing::HasSubstr("get no units of it: fast")));
}

TEST_F(Contracts, MostSlotsDecideWithinIsa) {
  Register("a", "c2-small", "avx2", 2);
  Register("b", "c2-large", "avx2", 1);
  Register("c", "c2-large", "avx2", 2);
  core_.Wait(std::chrono::seconds(1));
  EXPECT_EQ(ContractOf(Submit()), "c2-large");
}

TEST_F(Contracts, InventedContractBindsNoJob) {
  Register("stranger", "made up", "avx1", 64);
  core_.Wait(std::chrono::seconds(1));
  const std::string id = Submit();
  core_.Wait(std::chrono::seconds(2));
  EXPECT_EQ(ContractOf(id), "");
  EXPECT_THAT(core_.job(id).record.message, HasSubstr("that this master knows"));
  Register("mine", "c512", "avx512");
  core_.Wait(std::chrono::seconds(1));
  EXPECT_EQ(ContractOf(id), "c512");
}

TEST_F(Contracts, RequestedIsaIsWaitedFor) {
  Register("slow", "c2", "avx2");
  core_.Wait(std::chrono::seconds(1));
  const std::string id = Submit("avx512");
  EXPECT_EQ(ContractOf(id), "");
  EXPECT_THAT(core_.job(id).record.message, HasSubstr("isa avx512"));
  Register("fast", "c512", "avx512");
  core_.Wait(std::chrono::seconds(1));
  EXPECT_EQ(ContractOf(id), "c512");
}

constexpr char kOf1M[] = "native/1;onednn=2.6.3;isa=avx2;l2=1048576;l3=1048576";
constexpr char kOf8M[] = "native/1;onednn=2.6.3;isa=avx2;l2=1048576;l3=8388608";

TEST_F(Contracts, JobContractHasOnlyRelevantCaches) {
  Register("a", kOf1M, "avx2");
  const uint64_t other = Register("b", kOf8M, "avx2");
  core_.Wait(std::chrono::seconds(1));
  const std::string id = Submit();
  EXPECT_EQ(ContractOf(id), "native/1;onednn=2.6.3;isa=avx2");
  EXPECT_TRUE(core_.Query("job", id)["excluded"].empty());
  core_.StateIsPrepared(id);
  const std::vector<rpc::Lease> leases = core_.LeaseUnits(other);
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].expected_contract, kOf8M) << "as the executor calls it";
  EXPECT_EQ(core_.Announce(other, leases[0], 1)->verdict, rpc::Verdict::kSend);
}

TEST_F(Contracts, LastCacheIsKeptIfRelevant) {
  Register("a", kOf1M, "avx2", 2);
  const uint64_t other = Register("b", kOf8M, "avx2");
  core_.Wait(std::chrono::seconds(1));
  JobDefinition definition = CoreHarness::Definition();
  definition.caches_in_bits.last = true;
  const std::string id = core_.Submit(definition).value();
  EXPECT_EQ(ContractOf(id), "native/1;onednn=2.6.3;isa=avx2;l3=1048576");
  EXPECT_THAT(core_.Query("job", id)["excluded"], ElementsAre("b"));
  core_.StateIsPrepared(id);
  EXPECT_TRUE(core_.LeaseUnits(other).empty());
}

// A name belongs to the live session that has it.
TEST(Names, OtherProcessDoesNotReplaceLiveExecutor) {
  CoreHarness core;
  const uint64_t mine =
      core.Register("e1", {.incarnation = 3, .host = "here", .pid = 10, .holder = "mine"});
  // The refusal names host and process. An executor can claim any values of them.
  EXPECT_EQ(core.Register(
                "e1", {.incarnation = UINT64_MAX, .host = "here", .pid = 10, .holder = "other"}),
            0u);
  EXPECT_EQ(core.Heartbeat(mine).number, 1u) << "its session goes on";
  // The same process, which did not receive the answer.
  EXPECT_NE(core.Register("e1", {.incarnation = 4, .host = "here", .pid = 10, .holder = "mine"}),
            0u);
  EXPECT_EQ(core.Heartbeat(mine).number, 0u);
}

TEST(Names, EndedSessionFreesName) {
  CoreHarness core;
  const uint64_t mine = core.Register("e1", {.host = "here", .pid = 10, .holder = "one"});
  core.Do(SessionDisconnected{mine});
  EXPECT_NE(core.Register("e1", {.incarnation = 2, .host = "here", .pid = 11, .holder = "two"}),
            0u);
  core.Wait(std::chrono::seconds(11));
  EXPECT_NE(core.Register("e1", {.incarnation = 3, .host = "here", .pid = 12, .holder = "three"}),
            0u)
      << "silent for too long";
}

}  // namespace
}  // namespace dl::master
