// Units are leased only to executors with enough memory.
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {
namespace {

using test::IsError;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kMiB = 1 << 20;

class Memory : public testing::Test {
 protected:
  explicit Memory(const CoreOptions& options = {}) : core_(options) {}
  static JobDefinition Needs(int64_t mebibytes, int32_t workers = 4) {
    JobDefinition definition = CoreHarness::Definition();
    definition.plan = {
        .examples = workers, .workers = workers, .batch_size = 1, .averaging_frequency = 1};
    definition.example_hash_sum = static_cast<uint64_t>(workers);
    definition.unit_bytes = mebibytes * kMiB;
    return definition;
  }
  uint64_t Register(const std::string& name, int64_t mebibytes, int32_t slots = 8) {
    return core_.Register(name, {.slots = slots, .unit_memory_bytes = mebibytes * kMiB});
  }
  std::string Submit(const JobDefinition& definition) {
    auto id = core_.Submit(definition, "r" + std::to_string(++requests_));
    DL_CHECK(id.ok());
    return *id;
  }
  std::string Running(const JobDefinition& definition) {
    std::string id = Submit(definition);
    core_.StateIsPrepared(id);
    return id;
  }
  bool EventSequence(const std::string& text) const {
    return absl::StrContains(absl::StrJoin(core_.Warnings(), "\n"), text);
  }

  CoreHarness core_;
  int requests_ = 0;
};

TEST_F(Memory, SessionGetsUnitsThatFit) {
  const uint64_t session = Register("e", 250);
  Running(Needs(100));
  const std::vector<rpc::Lease> leases = core_.LeaseUnits(session, 8);
  ASSERT_EQ(leases.size(), 2u);
  EXPECT_TRUE(core_.LeaseUnits(session, 6).empty());
  ASSERT_EQ(core_.Announce(session, leases[0], 1)->verdict, rpc::Verdict::kSend);
  EXPECT_EQ(core_.LeaseUnits(session, 7).size(), 1u) << "one has made room";
}

TEST_F(Memory, UnknownMemoryGetsUnitPerSlot) {
  const uint64_t session = core_.Register("e");
  Running(Needs(1 << 20));
  EXPECT_EQ(core_.LeaseUnits(session, 8).size(), 4u);
}

TEST_F(Memory, WaitingRequestIsAnsweredWhenUnitEnds) {
  const uint64_t session = Register("e", 100);
  Running(Needs(100));
  const std::vector<rpc::Lease> leases = core_.LeaseUnits(session, 1);
  ASSERT_EQ(leases.size(), 1u);
  const uint64_t token = core_.Park(session, 7);
  EXPECT_TRUE(core_.LeasesOf(token).empty());
  ASSERT_EQ(core_.Announce(session, leases[0], 1)->verdict, rpc::Verdict::kSend);
  EXPECT_EQ(core_.LeasesOf(token).size(), 1u);
}

TEST_F(Memory, OnlyLargeEnoughExecutorsGetUnits) {
  const uint64_t small = Register("small", 99);
  const uint64_t large = Register("large", 1000);
  const std::string id = Running(Needs(100));
  EXPECT_TRUE(core_.LeaseUnits(small).empty());
  EXPECT_EQ(core_.LeaseUnits(large, 8).size(), 4u);
  EXPECT_THAT(core_.Query("job", id)["excluded_for_memory"], ElementsAre("small"));
  EXPECT_TRUE(core_.Query("job", id)["excluded"].empty());
  EXPECT_EQ(core_.job(id).record.state, JobState::kRunning);
}

TEST_F(Memory, SubmissionReportsTooSmallExecutors) {
  Register("small", 99);
  Register("smaller", 10);
  Register("large", 1000);
  core_.Do(Asked<Submission>{500, {.request_id = "r", .definition = Needs(100), .spec = "{}"}});
  const auto answers = core_.EffectsOf<Answer>();
  ASSERT_EQ(answers.size(), 1u);
  const auto& reply = std::get<rpc::SubmitReply>(answers[0].reply);
  EXPECT_EQ(reply.executors, 1);
  EXPECT_EQ(reply.excluded, 0);
  EXPECT_EQ(reply.too_small, 2);
  EXPECT_EQ(reply.unit_bytes, 100 * kMiB);
  EXPECT_EQ(reply.largest_unit_memory, 99 * kMiB);
  EXPECT_TRUE(EventSequence("get no units of it: small, smaller"));
}

TEST_F(Memory, SubmissionReportsConcurrentUnits) {
  Register("small", 99);
  Register("holds two", 250);
  Register("has three slots", 1000, 3);
  core_.Register("of another contract", {.slots = 50, .contracts = {{"c512", "avx512"}}});
  const auto slots = [&](int32_t max_executors) {
    core_.Do(Asked<Submission>{500,
                               {.request_id = "r" + std::to_string(++requests_),
                                .definition = Needs(100),
                                .spec = "{}",
                                .scheduling = {.max_executors = max_executors}}});
    return std::get<rpc::SubmitReply>(core_.EffectsOf<Answer>().at(0).reply).slots;
  };
  EXPECT_EQ(slots(0), 5);
  EXPECT_EQ(slots(1), 3);
  EXPECT_EQ(slots(9), 5);
  core_.Do(Asked<rpc::DrainRequest>{400, {.executors = "has three slots"}});
  EXPECT_EQ(slots(0), 2) << "it takes nothing new";
}

TEST_F(Memory, TooLargeJobWaitsAndReportsMemory) {
  Register("small", 60);
  Register("smaller", 50);
  const std::string id = Submit(Needs(100));
  EXPECT_TRUE(EventSequence("waits for a larger executor"));
  const JobRecord& record = core_.job(id).record;
  EXPECT_EQ(record.state, JobState::kQueued);
  EXPECT_EQ(record.reason, Reason::kWaitingForLargerExecutors);
  EXPECT_THAT(record.message, HasSubstr("up to 100 MiB"));
  EXPECT_THAT(record.message, HasSubstr("largest of 2 executors has 60 MiB"));
  EXPECT_EQ(record.contract, "") << "who cannot compute it decides nothing";
  Register("middle", 99);
  EXPECT_THAT(core_.job(id).record.message, HasSubstr("largest of 3 executors has 99 MiB"));
  EXPECT_FALSE(EventSequence("waits for a larger executor")) << "once is enough";
  const uint64_t large = Register("large", 100);
  core_.StateIsPrepared(id);
  EXPECT_EQ(core_.LeaseUnits(large).size(), 1u);
}

TEST_F(Memory, JobThatLosesLargeExecutorWaits) {
  Register("small", 60);
  const uint64_t large = Register("large", 100);
  const std::string id = Running(Needs(100));
  ASSERT_EQ(core_.LeaseUnits(large).size(), 1u);
  core_.Wait(std::chrono::seconds(2));
  core_.Do(Asked<rpc::GoodbyeRequest>{700, {.session = large}});
  EXPECT_EQ(core_.job(id).record.state, JobState::kWaiting);
  EXPECT_EQ(core_.job(id).record.reason, Reason::kWaitingForLargerExecutors);
  EXPECT_TRUE(EventSequence("waits for a larger executor"));
  Register("another", 100);
  EXPECT_EQ(core_.job(id).record.state, JobState::kRunning);
}

TEST_F(Memory, SmallUnitsDoNotStarveLargeUnit) {
  const uint64_t session = Register("e", 100);
  Running(Needs(40, 16));
  const std::vector<rpc::Lease> small = core_.LeaseUnits(session, 2);
  ASSERT_EQ(small.size(), 2u);
  const std::string large = Running(Needs(100, 1));
  ASSERT_EQ(core_.Announce(session, small[0], 1)->verdict, rpc::Verdict::kSend);
  const uint64_t token = core_.Park(session);
  EXPECT_TRUE(core_.LeasesOf(token).empty()) << "room for the other job's next small one";
  ASSERT_EQ(core_.Announce(session, small[1], 1)->verdict, rpc::Verdict::kSend);
  ASSERT_EQ(core_.LeasesOf(token).size(), 1u);
  EXPECT_EQ(core_.LeasesOf(token)[0].unit.job, large);
}

TEST_F(Memory, ReservationEndsWhenOtherTakesLargeUnit) {
  const uint64_t session = Register("e", 100);
  Running(Needs(40, 16));
  const std::vector<rpc::Lease> small = core_.LeaseUnits(session, 1);
  ASSERT_EQ(small.size(), 1u);
  Running(Needs(100, 1));
  const uint64_t token = core_.Park(session, 7);
  EXPECT_TRUE(core_.LeasesOf(token).empty());
  const uint64_t other = core_.Register("other");
  const uint64_t taken = core_.Park(other, 1);
  EXPECT_EQ(core_.LeasesOf(taken).size(), 1u);
  EXPECT_EQ(core_.LeasesOf(token).size(), 1u) << "one more of 40 MiB beside the first";
}

// The large job has one unit left, at which this executor failed.
TEST_F(Memory, ReservationEndsIfLargeUnitIsNotAllowed) {
  const uint64_t session = Register("e", 100), other = core_.Register("other");
  Running(Needs(100, 2));
  const rpc::Lease failed = core_.LeaseUnits(session, 1).at(0);
  ASSERT_EQ(failed.unit.index, 0);
  DL_ASSERT_OK(core_.ReportFailure(session, failed, "internal"));
  core_.Wait(std::chrono::seconds(1));  // until the failed unit may be leased again
  Running(Needs(40, 16));
  ASSERT_EQ(core_.LeaseUnits(session, 1).size(), 1u);
  const uint64_t token = core_.Park(session, 7);
  EXPECT_TRUE(core_.LeasesOf(token).empty());
  rpc::Lease last = failed;
  last.unit.index = 1;
  DL_ASSERT_OK(core_.Announce(other, last, 1));
  EXPECT_EQ(core_.LeasesOf(token).size(), 1u) << "one more of 40 MiB beside the first";
}

class AloneWithItsMemory : public Memory {
 protected:
  AloneWithItsMemory() : Memory({.executors_can_restart = false, .only_unit_memory = 100 * kMiB}) {}
};

TEST_F(AloneWithItsMemory, TooLargeJobIsRefused) {
  DL_EXPECT_OK(core_.Submit(Needs(100), "fits"));
  const auto refused = core_.Submit(Needs(101), "does not");
  EXPECT_THAT(refused, IsError(absl::StatusCode::kInvalidArgument, "up to 101 MiB"));
  EXPECT_FALSE(ErrorRemedy(refused.status()).empty());
  EXPECT_EQ(core_.Query("jobs", "").size(), 1u);
}

}  // namespace
}  // namespace dl::master
