// Executors that register, fall silent and leave.
#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "master/core/leasing/presence_lines.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {
namespace {

using dl::test::IsError;
using rpc::Verdict;

TEST(Sessions, OlderIncarnationIsFenced) {
  CoreHarness core;
  const uint64_t second = core.Register("e1", {.incarnation = 2});
  EXPECT_NE(second, 0u);
  EXPECT_EQ(core.Register("e1", {.incarnation = 1}), 0u);
  EXPECT_THAT(core.EffectsOf<Answer>().at(0).status,
              IsError(absl::StatusCode::kAborted, "incarnation 2"));
  const uint64_t third = core.Register("e1", {.incarnation = 3});
  EXPECT_NE(third, 0u);
  core.Do(Asked<rpc::HeartbeatRequest>{77, {.session = second}});
  EXPECT_THAT(core.EffectsOf<Answer>().at(0).status,
              IsError(absl::StatusCode::kAborted, "Register again"));
}

// A token registers executors in a loop. Existing sessions stay, and new ones are refused.
TEST(Sessions, TokenAtItsLimitIsRefusedAndNoSessionEnds) {
  CoreHarness core;
  const auto add = [&](int64_t number, const std::string& token) {
    return core.Register(absl::StrCat("e", number), {.token = token});
  };
  const uint64_t honest = core.Register("honest", {.token = "other"});
  ASSERT_NE(honest, 0u);
  for (int64_t i = 0; i < limits::kMaxSessionsOfToken; ++i) ASSERT_NE(add(i, "flood"), 0u) << i;
  EXPECT_EQ(add(limits::kMaxSessionsOfToken, "flood"), 0u);
  EXPECT_THAT(core.EffectsOf<Answer>().at(0).status,
              IsError(absl::StatusCode::kResourceExhausted, "the limit of one token"));
  EXPECT_TRUE(core.EffectsOf<SessionEnded>().empty());
  // An executor that registers again with the token replaces its own session.
  EXPECT_NE(add(7, "flood"), 0u);
  EXPECT_EQ(core.EffectsOf<SessionEnded>().size(), 1u);
  EXPECT_EQ(core.EffectsOf<SessionBegan>().at(0).executor, "e7");
  EXPECT_NE(add(limits::kMaxSessionsOfToken, "other"), 0u);
  core.Heartbeat(honest);
  EXPECT_EQ(core.EffectsOf<Answer>().at(0).status, absl::OkStatus());
  // Silent sessions end, and their places are free again.
  core.Wait(std::chrono::seconds(60));
  EXPECT_NE(add(limits::kMaxSessionsOfToken, "flood"), 0u);
}

TEST(Sessions, TotalNumberIsLimited) {
  CoreHarness core;
  for (int64_t i = 0; i < limits::kMaxSessions; ++i)
    ASSERT_NE(core.Register(absl::StrCat("e", i), {.token = absl::StrCat("t", i % 4)}), 0u) << i;
  EXPECT_EQ(core.Register("one more", {.token = "t5"}), 0u);
  EXPECT_THAT(core.EffectsOf<Answer>().at(0).status,
              IsError(absl::StatusCode::kResourceExhausted, "which is its limit"));
}

TEST(Sessions, RefusedRegistrationEndsNoSession) {
  CoreHarness core;
  const uint64_t first = core.Register("e1");
  EXPECT_EQ(core.Register("e1", {.incarnation = 2, .labels = {"no label"}}), 0u);
  core.Heartbeat(first);
  EXPECT_EQ(core.EffectsOf<Answer>().at(0).status, absl::OkStatus());
}

TEST(Sessions, FloodOfRegistrationsWritesFewLines) {
  CoreHarness core;
  size_t lines = 0;
  for (int i = 0; i < 500; ++i) {
    core.Register(absl::StrCat("e", i % 7), {.incarnation = static_cast<uint64_t>(i)});
    lines += core.EffectsOf<Log>().size();
  }
  EXPECT_EQ(lines, static_cast<size_t>(PresenceLines::kMostLines));
  core.Wait(std::chrono::seconds(1));
  core.Register("e8");
  ASSERT_EQ(core.EffectsOf<Log>().size(), 2u);
  EXPECT_THAT(core.EffectsOf<Log>().at(0).line, testing::HasSubstr(" times more"));
}

TEST(Sessions, RegistrationLogsShortLine) {
  CoreHarness core;
  const std::string contract(limits::kMaxContractText, 'c');
  core.Register(std::string(limits::kMaxExecutorName, 'e'),
                {.contracts = std::vector<rpc::OfferedContract>(8, {contract, "avx2"}),
                 .host = std::string(limits::kMaxHostText, 'h')});
  ASSERT_EQ(core.EffectsOf<Log>().size(), 1u);
  EXPECT_LT(core.EffectsOf<Log>().at(0).line.size(), 1024u);
}

// Executors list invented leases of an open unit. The master remembers the progress of few.
TEST(Sessions, UnitsWithoutLeaseAreLimited) {
  CoreHarness core;
  const uint64_t honest = core.Register("honest");
  core.RunningJob(CoreHarness::Definition());
  const rpc::Lease lease = core.LeaseUnits(honest).at(0);
  std::vector<rpc::UnitProgress> invented;
  for (uint64_t number = 1; number <= 8192; ++number)
    invented.push_back({.unit = lease.unit, .lease = number});
  int64_t listed = 0, remembered = 0;
  for (int i = 0; i < 20; ++i) {
    const auto reply = core.Heartbeat(core.Register(absl::StrCat("liar-", i)), invented);
    listed += 8192;
    remembered += 8192 - std::ssize(reply.abandon);
  }
  EXPECT_GT(listed, 160'000);
  EXPECT_LE(remembered, (1 << 17) + 20 * 64);
  // An executor with a few units goes on after a restart of the master.
  const uint64_t returned = core.Register("honest", {.incarnation = 2});
  EXPECT_TRUE(
      core.Heartbeat(returned, {{.unit = lease.unit, .lease = lease.lease}}).abandon.empty());
  // Sessions that end, and heartbeats that list nothing, make room.
  for (int i = 0; i < 20; ++i) core.Register(absl::StrCat("liar-", i), {.incarnation = 2});
  const auto reply = core.Heartbeat(core.Register("other"), invented);
  EXPECT_TRUE(reply.abandon.empty());
}

TEST(Sessions, QueuedHeartbeatIsNotLate) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1"), e2 = core.Register("e2");
  // A write takes a minute. Both heartbeats arrived in its first seconds.
  core.came = core.now + std::chrono::seconds(4);
  core.now = core.now + std::chrono::minutes(1);
  core.Heartbeat(e2);
  const auto executors = [&] { return core.Query("cluster", "").at("executors").size(); };
  EXPECT_EQ(executors(), 2u);
  core.Heartbeat(e1);
  core.came = Instant::Max();
  core.Do(Tick{});
  EXPECT_EQ(executors(), 2u);
  core.Wait(std::chrono::seconds(11));
  EXPECT_EQ(executors(), 0u);
}

TEST(Sessions, LeaseLastsFromGrant) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  const std::string id = core.RunningJob(CoreHarness::Definition());
  core.came = core.now;  // the request for it waited for a minute
  core.now = core.now + std::chrono::minutes(1);
  const rpc::Lease lease = core.LeaseUnits(e1).at(0);
  core.came = Instant::Max();
  core.Heartbeat(e1, {{.unit = lease.unit, .lease = lease.lease}});
  core.Do(Tick{});
  EXPECT_EQ(core.job(id).counts.expired_leases, 0);
  EXPECT_EQ(core.job(id).units.at(lease.unit.index).leases.size(), 1u);
}

TEST(Sessions, HeartbeatReportsProgressOfUnits) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  const std::string id = core.RunningJob(CoreHarness::Definition());
  const rpc::Lease lease = core.LeaseUnits(e1).at(0);
  EXPECT_EQ(core.Query("job", id).at("units").at(0).at("steps_total"), 0);
  core.Heartbeat(e1,
                 {{.unit = lease.unit, .lease = lease.lease, .steps_done = 2, .steps_total = 5}});
  const Json unit = core.Query("job", id).at("units").at(lease.unit.index);
  EXPECT_EQ(unit.at("steps_done"), 2);
  EXPECT_EQ(unit.at("steps_total"), 5);
}

TEST(Sessions, HeartbeatRestoresClosedConnection) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  const std::string id = core.RunningJob(CoreHarness::Definition());
  ASSERT_EQ(core.LeaseUnits(e1).size(), 1u);
  core.Do(SessionDisconnected{e1});
  EXPECT_TRUE(core.LeaseUnits(e1).empty());
  core.Wait(std::chrono::seconds(1));
  core.Heartbeat(e1);
  core.Wait(std::chrono::seconds(3));
  EXPECT_EQ(core.LeaseUnits(e1).size(), 1u);
  core.Do(SessionDisconnected{e1});
  core.Wait(std::chrono::milliseconds(1600));
  core.Do(Asked<rpc::HeartbeatRequest>{77, {.session = e1}});
  EXPECT_THAT(core.EffectsOf<Answer>().at(0).status,
              IsError(absl::StatusCode::kAborted, "session has ended"));
}

TEST(Sessions, HeartbeatKeepsUnitBeingSent) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  core.RunningJob(CoreHarness::Definition());
  const rpc::Lease lease = core.LeaseUnits(e1).at(0);
  ASSERT_EQ(core.Announce(e1, lease, 7)->verdict, Verdict::kSend);
  EXPECT_TRUE(core.Heartbeat(e1, {{.unit = lease.unit, .lease = lease.lease}}).abandon.empty());
}

TEST(Sessions, AcceptedResultLostByHolderIsWithdrawn) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  const std::string id = core.RunningJob(CoreHarness::Definition());
  const rpc::Lease lease = core.LeaseUnits(e1).at(0);
  DL_EXPECT_OK(core.Announce(e1, lease, 7));
  core.Heartbeat(e1);  // may have been sent before the announcement
  EXPECT_TRUE(core.job(id).units.at(lease.unit.index).accepted);
  core.Wait(std::chrono::seconds(2));
  core.Heartbeat(e1);
  EXPECT_FALSE(core.job(id).units.at(lease.unit.index).accepted);
  EXPECT_EQ(core.EffectsOf<DropContribution>().size(), 1u);
}

TEST(Sessions, BytesOfLostSessionDoNotCount) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1"), e2 = core.Register("e2");
  const std::string id = core.RunningJob(CoreHarness::Definition());
  const rpc::Lease lease = core.LeaseUnits(e1).at(0);
  DL_EXPECT_OK(core.Announce(e1, lease, 7));
  core.Register("e1", {.incarnation = 2});
  DL_EXPECT_OK(core.Announce(e2, lease, 7));
  core.Stage(lease, 7, e1);  // in flight when e1 was lost
  EXPECT_FALSE(core.job(id).units.at(lease.unit.index).result.staged);
  core.Stage(lease, 7, e2);
  EXPECT_TRUE(core.job(id).units.at(lease.unit.index).result.staged);
}

// Results of a job that ended or is paused are not requested again.
TEST(Sessions, HeldResultsOfStoppedJobAreReleased) {
  for (const rpc::JobAction stop : {rpc::JobAction::kCancel, rpc::JobAction::kPause}) {
    CoreHarness core;
    const uint64_t e1 = core.Register("e1");
    const std::string id = core.RunningJob(CoreHarness::Definition());
    core.CompleteRound(id, e1);
    EXPECT_EQ(core.Heartbeat(e1).committed, (std::vector<rpc::CommitNotice>{{id, 1}}));
    DL_ASSERT_OK(core.Act({.job = id, .action = stop}));
    core.CheckpointIsWritten(id, 1);
    EXPECT_EQ(core.Heartbeat(e1).committed, (std::vector<rpc::CommitNotice>{{id, INT64_MAX}}));
    const uint64_t again = core.Register(
        "e1", {.incarnation = 2, .held_contributions = {{{id, UnitKind::kTrain, 1, 0}, 100}}});
    EXPECT_EQ(core.Heartbeat(again).committed, (std::vector<rpc::CommitNotice>{{id, INT64_MAX}}));
  }
}

// Applies to any number of executors and any messages. Executors that come later may still
// register.
TEST(Sessions, ListOfHeldResultsIsLimited) {
  CoreHarness core;
  const std::vector<std::string> many(limits::kMaxHeldParts, std::string(64, 'a'));
  int64_t kept = 0;
  const int sessions = static_cast<int>(2 * Fleet::kMaxHeld / limits::kMaxHeldParts);
  for (int i = 0; i < sessions; ++i) {
    ASSERT_NE(core.Register("e" + std::to_string(i), {.held_parts = many}), 0u);
    kept = 0;
    for (const auto& [id, session] : core.core().sessions())
      kept += static_cast<int64_t>(session.who.held_parts.size());
    ASSERT_LE(kept, Fleet::kMaxHeld);
  }
  EXPECT_EQ(kept, Fleet::kMaxHeld);
  for (const auto& [id, session] : core.core().sessions())
    EXPECT_EQ(session.forgot_held, session.who.held_parts.empty());
  core.Wait(std::chrono::seconds(11));  // those sessions have ended
  ASSERT_NE(core.Register("late", {.held_parts = many}), 0u);
  EXPECT_EQ(core.core().sessions().begin()->second.who.held_parts, many);
}

TEST(Sessions, RetriesAreCountedPerExecutorAndInTotal) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1", {.retries = {.sessions = 1}});
  core.Register("e2", {.retries = {.sessions = 2, .blocks = 5}});
  const auto shown = [&](const std::string& name) {
    const Json cluster = core.Query("cluster", "");
    for (const Json& executor : cluster.at("executors")) {
      if (executor.at("executor") == name) return executor.at("retries");
    }
    return Json();
  };
  const auto says = [&](const rpc::Retries& retries) {
    core.Do(Asked<rpc::HeartbeatRequest>{77, {.session = e1, .retries = retries}});
  };
  const auto json = [](const rpc::Retries& r) {
    return Json{{"sessions", r.sessions}, {"leases", r.leases}, {"jobs", r.jobs},
                {"states", r.states},     {"blocks", r.blocks}, {"results", r.results}};
  };
  EXPECT_EQ(shown("e1"), json({.sessions = 1}));
  const rpc::Retries many{1, 2, 3, 4, 5, 6};
  says(many);
  EXPECT_EQ(shown("e1"), json(many));
  EXPECT_EQ(core.Query("cluster", "").at("retries"), json({3, 2, 3, 4, 10, 6}));
  // Counts never decrease and are bounded, whatever the executor reports.
  says({.sessions = -7, .leases = INT64_MIN, .states = 3, .results = INT64_MAX});
  const rpc::Retries bounded{1, 2, 3, 4, 5, rpc::Retries::kMost};
  EXPECT_EQ(shown("e1"), json(bounded));
  core.Do(Asked<rpc::GoodbyeRequest>{78, {.session = e1}});
  EXPECT_EQ(core.Query("cluster", "").at("retries"), json({.sessions = 2, .blocks = 5}));
}

}  // namespace
}  // namespace dl::master
