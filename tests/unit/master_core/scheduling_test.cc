// How jobs share a cluster: order, limits of executors, dependencies.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {
namespace {

using dl::test::IsError;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr security::Identity kAdmin{.role = security::Role::kAdmin};

class Sharing : public testing::Test {
 protected:
  std::string Submit(const std::string& owner, rpc::Scheduling scheduling = {}) {
    const auto id = Try(owner, std::move(scheduling));
    DL_EXPECT_OK(id);
    return id.value_or("");
  }
  StatusOr<std::string> Try(const std::string& owner, rpc::Scheduling scheduling) {
    JobDefinition definition = CoreHarness::Definition();
    definition.epochs = 1;
    return core_.Submit(std::move(definition), "request " + std::to_string(++requests_),
                        {.owner = owner, .scheduling = std::move(scheduling)});
  }
  void Cancel(const std::string& id) {
    DL_ASSERT_OK(core_.Act({.job = id, .action = rpc::JobAction::kCancel, .by = kAdmin}));
    if (core_.job(id).phase == Phase::kPreparing) core_.StateIsPrepared(id);
    if (!IsTerminal(core_.job(id).record.state)) core_.CheckpointIsWritten(id, 0);
    ASSERT_TRUE(IsTerminal(core_.job(id).record.state));
  }
  JobState State(const std::string& id) { return core_.job(id).record.state; }
  std::vector<std::string> Ahead(const std::string& id) {
    return core_.Query("job", id).at("queue").at("ahead").get<std::vector<std::string>>();
  }
  // Submits a job and opens its first round.
  std::string Run(const std::string& owner, rpc::Scheduling scheduling = {}) {
    const std::string id = Submit(owner, std::move(scheduling));
    core_.StateIsPrepared(id);
    return id;
  }
  // Returns the job of the next unit that the session gets; empty if it gets none.
  std::string Next(uint64_t session) {
    const auto leases = core_.LeaseUnits(session);
    return leases.empty() ? "" : leases[0].unit.job;
  }

  CoreHarness core_{{.max_running_jobs = 1}};
  int requests_ = 0;
};

TEST_F(Sharing, HigherPriorityGoesFirst) {
  core_.Register("e1");
  const std::string running = Submit("ada"), late = Submit("ada", {.priority = -1});
  const std::string plain = Submit("ada"), high = Submit("ada", {.priority = 10});
  const std::string high_too = Submit("ada", {.priority = 10});
  EXPECT_THAT(Ahead(late), ElementsAre(high, high_too, plain));
  EXPECT_EQ(core_.Query("job", high_too).at("queue").at("position"), 2);
  Cancel(running);
  EXPECT_EQ(State(high), JobState::kStarting);
  core_.Restart();
  core_.Register("e1");
  EXPECT_THAT(Ahead(late), ElementsAre(high_too, plain)) << "it outlives the master";
}

TEST_F(Sharing, OwnerWithFewerJobsGoesFirst) {
  core_.options().max_running_jobs = 2;
  core_.Restart();
  core_.Register("e1");
  const std::string first = Submit("ada"), second = Submit("ada"), third = Submit("ada");
  const std::string fourth = Submit("ada"), bobs = Submit("bob"), bobs_too = Submit("bob");
  EXPECT_THAT(Ahead(bobs), IsEmpty());
  EXPECT_THAT(Ahead(third), ElementsAre(bobs, bobs_too));
  Cancel(first);
  EXPECT_EQ(State(bobs), JobState::kStarting);
  // Each owner has one running job. Waiting jobs take turns by owner, the oldest first.
  EXPECT_THAT(Ahead(fourth), ElementsAre(third, bobs_too));
  Cancel(second);
  EXPECT_EQ(State(bobs_too), JobState::kQueued);
}

TEST_F(Sharing, AfterWaitsForSuccess) {
  core_.options().max_running_jobs = 8;
  core_.Restart();
  const uint64_t e1 = core_.Register("e1");
  const std::string first = Run("ada"), second = Submit("bob", {.after = first});
  EXPECT_EQ(core_.job(second).record.reason, Reason::kWaitingForDependency);
  EXPECT_THAT(core_.job(second).record.message, HasSubstr("begins when " + first));
  core_.CompleteRound(first, e1);
  core_.CheckpointIsWritten(first, 1);
  ASSERT_EQ(State(first), JobState::kSucceeded);
  EXPECT_EQ(State(second), JobState::kStarting);
  // A job that has already SUCCEEDED is not waited for.
  EXPECT_EQ(State(Submit("bob", {.after = first})), JobState::kStarting);
}

TEST_F(Sharing, AfterFailedJobWaitsWithReason) {
  core_.options().max_running_jobs = 8;
  core_.Restart();
  core_.Register("e1");
  const std::string first = Run("ada"), second = Submit("ada", {.after = first});
  Cancel(first);
  EXPECT_EQ(State(second), JobState::kQueued);
  const rpc::Remedy remedy{.kind = rpc::RemedyKind::kResumeOther, .job = first};
  EXPECT_EQ(core_.job(second).record.remedy, remedy);
  EXPECT_THAT(Try("bob", {.after = first}).status(),
              IsError(absl::StatusCode::kFailedPrecondition, "is CANCELLED"));
  EXPECT_THAT(core_.Act({.job = first, .action = rpc::JobAction::kDelete, .by = kAdmin}).status(),
              IsError(absl::StatusCode::kFailedPrecondition,
                      second + " starts after " + first + " has SUCCEEDED"));
  core_.Restart();
  EXPECT_EQ(core_.job(second).record.remedy, remedy);
  const uint64_t e1 = core_.Register("e1");
  EXPECT_EQ(State(second), JobState::kQueued);
  DL_ASSERT_OK(core_.Act({.job = first, .action = rpc::JobAction::kResume, .by = kAdmin}));
  core_.StateIsPrepared(first);
  core_.CompleteRound(first, e1);
  core_.CheckpointIsWritten(first, 1);
  ASSERT_EQ(State(first), JobState::kSucceeded);
  EXPECT_EQ(State(second), JobState::kStarting);
}

// Otherwise the other owner could protect the job from deletion forever.
TEST_F(Sharing, AfterOfOtherOwnerAllowsDeletion) {
  core_.options().max_running_jobs = 8;
  core_.Restart();
  core_.Register("e1");
  const std::string first = Run("ada"), second = Submit("bob", {.after = first});
  Cancel(first);
  DL_EXPECT_OK(core_.Act({.job = first, .action = rpc::JobAction::kDelete, .by = kAdmin}));
  EXPECT_EQ(State(second), JobState::kQueued);
  EXPECT_THAT(core_.job(second).record.message, HasSubstr("or is deleted"));
}

// A resumed job starts without waiting for its predecessor.
TEST_F(Sharing, ResumedJobIgnoresAfter) {
  core_.options().max_running_jobs = 8;
  core_.Restart();
  core_.Register("e1");
  const std::string first = Run("ada"), second = Submit("bob", {.after = first});
  Cancel(second);
  DL_ASSERT_OK(core_.Act({.job = second, .action = rpc::JobAction::kResume, .by = kAdmin}));
  EXPECT_EQ(State(second), JobState::kStarting);
}

TEST_F(Sharing, InvalidSchedulingIsRefused) {
  using absl::StatusCode;
  EXPECT_THAT(Try("ada", {.after = "nobody-7"}).status(),
              IsError(StatusCode::kNotFound, "nobody-7"));
  EXPECT_THAT(Try("ada", {.priority = 101}).status(),
              IsError(StatusCode::kInvalidArgument, "from -100 to 100"));
  EXPECT_THAT(Try("ada", {.max_executors = -1}).status(),
              IsError(StatusCode::kInvalidArgument, "cannot be negative"));
  EXPECT_THAT(Try("ada", {.labels = {"team"}}).status(),
              IsError(StatusCode::kInvalidArgument, "KEY=VALUE"));
  EXPECT_THAT(Try("ada", {.needs = {"a=\x1b"}}).status(),
              IsError(StatusCode::kInvalidArgument, "is not a valid label"));
  EXPECT_THAT(Try("ada", {.needs = std::vector<std::string>(33, "a=b")}).status(),
              IsError(StatusCode::kInvalidArgument, "at most 32"));
  EXPECT_THAT(core_.Ask<rpc::RegisterReply>(rpc::RegisterRequest{
                  .executor = "e1", .slots = 1, .contracts = {{"c0", "avx2"}}, .labels = {"x"}}),
              IsError(StatusCode::kInvalidArgument, "is not a valid label of an executor"));
}

TEST_F(Sharing, MaxExecutorsIsRespected) {
  const uint64_t e1 = core_.Register("e1"), e2 = core_.Register("e2");
  const std::string id = Run("ada", {.max_executors = 1});
  const auto first = core_.LeaseUnits(e1);
  ASSERT_EQ(first.size(), 1u);
  const uint64_t parked = core_.Park(e2);
  EXPECT_THAT(core_.LeasesOf(parked), IsEmpty());
  // When the executor has no unit of the job any more, another executor may take its place.
  DL_ASSERT_OK(core_.Announce(e1, first[0], 7));
  EXPECT_EQ(core_.LeasesOf(parked).size(), 1u);
  EXPECT_THAT(core_.LeaseUnits(e1), IsEmpty());
}

TEST_F(Sharing, ExecutorOfJobTakesMoreUnits) {
  const uint64_t e1 = core_.Register("e1"), e2 = core_.Register("e2");
  Run("ada", {.max_executors = 1});
  EXPECT_EQ(core_.LeaseUnits(e1).size(), 1u);
  EXPECT_THAT(core_.LeaseUnits(e2), IsEmpty());
  EXPECT_EQ(core_.LeaseUnits(e1).size(), 1u);
  core_.Wait(std::chrono::milliseconds(2100));
  EXPECT_THAT(core_.LeaseUnits(e2), IsEmpty()) << "not as a straggler's second either";
}

TEST_F(Sharing, NeedsSelectExecutorsByLabels) {
  const uint64_t plain = core_.Register("e1", {.labels = {"zone=a"}});
  const std::string id = Submit("ada", {.labels = {"team=x"}, .needs = {"zone=b", "disk=fast"}});
  EXPECT_EQ(core_.job(id).record.reason, Reason::kWaitingForExecutors);
  EXPECT_THAT(core_.job(id).record.message,
              HasSubstr("no executor has all labels that it needs: zone=b"));
  core_.Register("e2", {.labels = {"zone=b"}});
  EXPECT_EQ(State(id), JobState::kQueued) << "it needs both";
  const uint64_t right = core_.Register("e3", {.labels = {"disk=fast", "zone=b", "more=1"}});
  ASSERT_EQ(State(id), JobState::kStarting);
  core_.StateIsPrepared(id);
  EXPECT_EQ(Next(plain), "");
  EXPECT_EQ(Next(right), id);
  const Json shown = core_.Query("job", id);
  EXPECT_EQ(shown.at("excluded_for_labels"), (Json{"e1", "e2"}));
  EXPECT_EQ(shown.at("scheduling").at("labels"), Json{"team=x"});
  core_.Wait(std::chrono::seconds(11));  // no executor sends heartbeats
  core_.Register("e4", {.labels = {"zone=b"}});
  EXPECT_EQ(State(id), JobState::kWaiting);
  EXPECT_THAT(core_.job(id).record.message, HasSubstr("all labels that it needs"));
}

TEST_F(Sharing, UnitsFollowPriorityThenOwners) {
  core_.options().max_running_jobs = 8;
  core_.Restart();
  const uint64_t e1 = core_.Register("e1");
  const std::string adas = Run("ada"), adas_too = Run("ada"), bobs = Run("bob");
  const std::string high = Run("eve", {.priority = 1});
  EXPECT_EQ(Next(e1), high);
  EXPECT_EQ(Next(e1), high) << "until there is nothing of it to compute";
  // Each job gets one unit first. Then ada has two running units, and bob has one.
  EXPECT_EQ(Next(e1), adas);
  EXPECT_EQ(Next(e1), adas_too);
  EXPECT_EQ(Next(e1), bobs);
  EXPECT_EQ(Next(e1), bobs);
  EXPECT_EQ(Next(e1), adas);
}

TEST_F(Sharing, StragglersFollowPriority) {
  core_.options().max_running_jobs = 8;
  core_.Restart();
  const uint64_t e1 = core_.Register("e1"), e2 = core_.Register("e2");
  const std::string plain = Run("ada"), high = Run("ada", {.priority = 1});
  ASSERT_EQ(core_.LeaseUnits(e1, 8).size(), 4u);
  core_.Wait(std::chrono::milliseconds(2100));
  EXPECT_EQ(Next(e2), high);
  EXPECT_EQ(Next(e2), high);
  EXPECT_EQ(Next(e2), plain);
}

TEST_F(Sharing, DrainSurvivesNewRegistration) {
  core_.Register("e1", {.incarnation = 3});
  ASSERT_EQ(core_.Ask<rpc::DrainReply>(rpc::DrainRequest{"e1"})->executors.size(), 1u);
  EXPECT_TRUE(core_.Heartbeat(core_.Register("e1", {.incarnation = 3})).drain);
  // A process that is started later gets work.
  EXPECT_FALSE(core_.Heartbeat(core_.Register("e1", {.incarnation = 4})).drain);
}

TEST_F(Sharing, DrainSurvivesRestartOfMaster) {
  core_.Register("e1", {.incarnation = 3});
  ASSERT_EQ(core_.Ask<rpc::DrainReply>(rpc::DrainRequest{"e1"})->executors.size(), 1u);
  core_.Restart();
  const uint64_t session = core_.Register("e1", {.incarnation = 3});
  EXPECT_TRUE(core_.Heartbeat(session).drain);
  DL_ASSERT_OK(core_.Ask<std::monostate>(rpc::GoodbyeRequest{session}));
  core_.Restart();
  EXPECT_FALSE(core_.Heartbeat(core_.Register("e1", {.incarnation = 3})).drain) << "it had left";
}

TEST_F(Sharing, DrainDoesNotApplyToLaterProcess) {
  core_.Register("e1", {.incarnation = 3});
  ASSERT_EQ(core_.Ask<rpc::DrainReply>(rpc::DrainRequest{"e1"})->executors.size(), 1u);
  core_.Restart();
  EXPECT_FALSE(core_.Heartbeat(core_.Register("e1", {.incarnation = 4})).drain);
  core_.Restart();
  EXPECT_FALSE(core_.Heartbeat(core_.Register("e1", {.incarnation = 3})).drain);
}

TEST_F(Sharing, DrainedExecutorLeaves) {
  const uint64_t e1 = core_.Register("e1", {.host = "node1"});
  const uint64_t e2 = core_.Register("e2", {.host = "node1"});
  const uint64_t e3 = core_.Register("e3", {.host = "node2"});
  const std::string id = Run("ada");
  const auto lease = core_.LeaseUnits(e1);
  ASSERT_EQ(lease.size(), 1u);
  const auto drained = core_.Ask<rpc::DrainReply>(rpc::DrainRequest{"node1"});
  DL_ASSERT_OK(drained);
  EXPECT_THAT(drained->executors, ElementsAre("e1", "e2"));
  EXPECT_TRUE(core_.Heartbeat(e1).drain);
  EXPECT_TRUE(core_.Heartbeat(e2).drain);
  EXPECT_FALSE(core_.Heartbeat(e3).drain);
  EXPECT_EQ(Next(e2), "");
  DL_EXPECT_OK(core_.Announce(e1, lease[0], 7)) << "what it has counts";
  EXPECT_EQ(Next(e3), id);
  EXPECT_THAT(core_.Ask<rpc::DrainReply>(rpc::DrainRequest{"node7"}),
              IsError(absl::StatusCode::kNotFound, "no executor has this name"));
  EXPECT_EQ(core_.Ask<rpc::DrainReply>(rpc::DrainRequest{"e3"})->executors.size(), 1u);
}

}  // namespace
}  // namespace dl::master
