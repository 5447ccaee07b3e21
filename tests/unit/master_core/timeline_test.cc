// The core records which executor had which unit, and how each lease ended.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "storage/timeline/stored_timeline.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/rounds_of_one.h"

namespace dl::master {
namespace {

using storage::LeaseEnd;
using storage::LeaseSpan;
using storage::RoundTimeline;
using testing::ElementsAre;
using testing::Pair;

class RecordedTimeline : public RoundsOfOne {
 protected:
  void BeginLong(int executors) {
    core_.wall_unix_ms = 1'700'000'000'000;
    Begin(executors, Long());
    core_.CheckpointIsWritten(id_, 0);
  }
  storage::StoredTimeline Stored() { return {core_.store, id_}; }
  RoundTimeline Of(int64_t round) {
    const auto timeline = Stored().Training(round);
    EXPECT_TRUE(timeline.ok() && timeline->has_value()) << "round " << round;
    return timeline.ok() ? timeline->value_or(RoundTimeline()) : RoundTimeline();
  }
  // Returns the executors of the round's leases, and how the leases ended.
  std::vector<std::pair<std::string, LeaseEnd>> Ends(int64_t round) {
    std::vector<std::pair<std::string, LeaseEnd>> ends;
    for (const LeaseSpan& lease : Of(round).leases)
      ends.emplace_back(*Stored().ExecutorName(lease.executor), lease.end);
    return ends;
  }
  void Deliver(int executor, const rpc::Lease& lease, uint64_t bits) {
    core_.Stage(lease, bits, e_[static_cast<size_t>(executor - 1)]);
    core_.RoundIsMerged(id_, core_.job(id_).at + 1, State(core_.job(id_).at + 1, bits));
  }
};

TEST_F(RecordedTimeline, HasTheTimesOfEachUnit) {
  BeginLong(1);
  core_.Wait(std::chrono::milliseconds(100));
  const rpc::Lease lease = LeaseTo(1);
  core_.Wait(std::chrono::milliseconds(800));
  rpc::AnnounceRequest said = core_.Announcement(e_[0], lease, 5);
  said.unit_us = 700'000;
  said.computing_us = 400'000;
  said.data_wait_us = 200'000;
  said.state_wait_us = 50'000;
  ASSERT_TRUE(core_.Ask<rpc::AnnounceReply>(ParseAnnouncement(said)).ok());
  core_.Wait(std::chrono::milliseconds(300));
  Deliver(1, lease, 5);
  const RoundTimeline round = Of(1);
  constexpr double kMostError = 4 * 0x1p7;  // of 1.2 s, in microseconds
  EXPECT_NEAR(round.length_us, 12e5, kMostError);
  ASSERT_EQ(round.leases.size(), 1);
  const LeaseSpan& unit = round.leases[0];
  EXPECT_NEAR(unit.leased_us, 1e5, kMostError);
  EXPECT_NEAR(unit.began_us, 2e5, kMostError);
  EXPECT_NEAR(unit.ended_us, 9e5, kMostError);
  EXPECT_NEAR(unit.computing_us, 4e5, kMostError);
  EXPECT_NEAR(unit.data_wait_us, 2e5, kMostError);
  EXPECT_NEAR(unit.state_wait_us, 5e4, kMostError);
  EXPECT_NEAR(unit.sending_us, 3e5, kMostError);
  EXPECT_THAT(Ends(1), ElementsAre(Pair("e1", LeaseEnd::kCommitted)));
}

TEST_F(RecordedTimeline, LostExecutorIsVisible) {
  BeginLong(2);
  LeaseTo(1);
  core_.Wait(std::chrono::seconds(1));
  DL_ASSERT_OK(core_.Ask<std::monostate>(rpc::GoodbyeRequest{e_[0]}).status());
  const rpc::Lease lease = LeaseTo(2);
  Announce(2, lease, 5);
  Deliver(2, lease, 5);
  EXPECT_THAT(Ends(1), ElementsAre(Pair("e1", LeaseEnd::kLost), Pair("e2", LeaseEnd::kCommitted)));
  EXPECT_EQ(Of(1).leases[0].computing_us, 0);
}

TEST_F(RecordedTimeline, ResultThatDoesNotArriveIsLost) {
  BeginLong(2);
  Announce(1, LeaseTo(1), 5);
  DL_ASSERT_OK(core_.Ask<std::monostate>(rpc::GoodbyeRequest{e_[0]}).status());
  const rpc::Lease lease = LeaseTo(2);
  Announce(2, lease, 5);
  Deliver(2, lease, 5);
  EXPECT_THAT(Ends(1), ElementsAre(Pair("e1", LeaseEnd::kLost), Pair("e2", LeaseEnd::kCommitted)));
}

TEST_F(RecordedTimeline, FailureIsVisible) {
  BeginLong(2);
  const rpc::Lease failed = LeaseTo(1);
  DL_ASSERT_OK(core_.ReportFailure(e_[0], failed, "internal"));
  core_.Wait(std::chrono::seconds(1));
  const rpc::Lease lease = LeaseTo(2);
  Announce(2, lease, 5);
  Deliver(2, lease, 5);
  EXPECT_THAT(Ends(1),
              ElementsAre(Pair("e1", LeaseEnd::kFailed), Pair("e2", LeaseEnd::kCommitted)));
}

TEST_F(RecordedTimeline, LateResultReplacesTheExpiredLease) {
  BeginLong(1);
  const rpc::Lease lease = LeaseTo(1);
  for (Duration passed{}; passed <= job().definition.lease; passed += std::chrono::seconds(1)) {
    core_.Wait(std::chrono::seconds(1));
    core_.Heartbeat(e_[0]);  // without the unit
  }
  ASSERT_FALSE(job().units.at(0).HasLease(lease.lease, "e1"));
  Announce(1, lease, 5);
  Deliver(1, lease, 5);
  EXPECT_THAT(Ends(1), ElementsAre(Pair("e1", LeaseEnd::kCommitted)));
  EXPECT_EQ(Of(1).leases[0].leased_us, 0);
  EXPECT_GT(Of(1).leases[0].ended_us, 0);
}

TEST_F(RecordedTimeline, SecondComputationConfirms) {
  JobDefinition definition = Long();
  definition.verify_fraction = 1;
  Begin(2, definition);
  core_.CheckpointIsWritten(id_, 0);
  const rpc::Lease first = LeaseTo(1);
  Announce(1, first, 5);
  core_.Stage(first, 5, e_[0]);
  Announce(2, LeaseTo(2), 5);
  core_.RoundIsMerged(id_, 1, State(1, 5));
  EXPECT_THAT(Ends(1),
              ElementsAre(Pair("e1", LeaseEnd::kCommitted), Pair("e2", LeaseEnd::kConfirmed)));
}

TEST_F(RecordedTimeline, WrongResultIsDistrusted) {
  BeginLong(3);
  Catch(1, 2, 3);
  const auto& result = job().units.at(0).result;
  ASSERT_TRUE(job().units.at(0).accepted);
  const rpc::Lease delivered{.unit = job().units.at(0).id};
  core_.Stage(delivered, result.hash, result.holder);
  core_.RoundIsMerged(id_, 1, State(1, 7));
  const auto ends = Ends(1);
  ASSERT_FALSE(ends.empty());
  EXPECT_EQ(ends[0], std::pair(std::string("e1"), LeaseEnd::kDistrusted));
}

TEST_F(RecordedTimeline, RolledBackRoundsDoNotCount) {
  BeginLong(3);
  Round(2, 1);
  Round(1, 66);
  Round(2, 3);
  EXPECT_EQ(Stored().Rounds()->last, 3);
  Catch(1, 2, 3);  // the job returns to round 1
  EXPECT_EQ(*Stored().Rounds(), (storage::TimelineRounds{.first = 1, .last = 1}));
}

TEST_F(RecordedTimeline, ContinuesAfterARestartOfTheMaster) {
  BeginLong(1);
  Round(1, 1);
  core_.Restart();
  e_ = {core_.Register("e1", {.incarnation = 2}), core_.Register("e2")};
  core_.StateIsPrepared(id_, 0);
  core_.Wait(std::chrono::seconds(1));
  Round(1, 1);  // computed again
  Round(2, 2);
  EXPECT_EQ(*Stored().Rounds(), (storage::TimelineRounds{.first = 1, .last = 2}));
  EXPECT_THAT(Ends(1), ElementsAre(Pair("e1", LeaseEnd::kCommitted)));
  EXPECT_THAT(Ends(2), ElementsAre(Pair("e2", LeaseEnd::kCommitted)));
  EXPECT_EQ(*Stored().Executors(), (std::map<std::string, int32_t>{{"e1", 1}, {"e2", 2}}));
}

// The times of a job stay in order, whatever happens to the wall clock between two rounds.
TEST_F(RecordedTimeline, SmallCorrectionsOfTheWallClockMoveNoRound) {
  BeginLong(1);
  Round(1, 1);
  core_.Wait(std::chrono::seconds(1));
  core_.wall_unix_ms += 1000 - 400;
  Round(1, 2);
  const int64_t moved = Of(2).opened_unix_us - Of(1).opened_unix_us;
  EXPECT_EQ(moved, Of(1).length_us);
  core_.wall_unix_ms += 3'600'000;
  Round(1, 3);
  EXPECT_GT(Of(3).opened_unix_us - Of(2).opened_unix_us, int64_t{3'500'000'000});
}

TEST_F(RecordedTimeline, DamageEndsTheRecordingAndNotTheJob) {
  BeginLong(1);
  Round(1, 1);
  storage::MetaBatch damage;
  damage.Put(storage::timeline_keys::Rounds(id_), "{");
  DL_ASSERT_OK(core_.store.Write(damage));
  core_.Restart();
  e_ = {core_.Register("e1", {.incarnation = 2})};
  core_.StateIsPrepared(id_, 0);
  core_.Wait(std::chrono::seconds(1));
  Round(1, 1);
  Round(1, 2);
  EXPECT_EQ(job().log.committed, 2);
  EXPECT_TRUE(job().timeline.failed);
}

TEST_F(RecordedTimeline, IsDeletedWithItsJob) {
  BeginLong(1);
  Round(1, 1);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCancel}).status());
  core_.CheckpointIsWritten(id_, 1);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kDelete}).status());
  DL_EXPECT_OK(core_.store.Scan(storage::timeline_keys::Prefix(id_),
                                [](std::string_view key, std::string_view) -> Status {
                                  return Internal({.message = std::string(key)});
                                }));
}

// An executor that lies about its session registers again and again, and loses a lease each time.
TEST(UnitRuns, ResultStaysAmongManyLostLeases) {
  Unit unit;
  const Instant now = Instant{} + std::chrono::seconds(1);
  Announcement announcement;
  announcement.said.lease = 1;
  unit.RecordRun(announcement, "e1", now, now);
  unit.accepted = true;
  unit.result.lease = 1;
  for (uint64_t lease = 2; lease < 4 * Unit::kMostRuns; ++lease)
    unit.RecordEnd({.lease = lease, .executor = "e2"}, LeaseEnd::kLost, now);
  EXPECT_EQ(unit.runs.size(), Unit::kMostRuns);
  EXPECT_EQ(unit.runs.front().lease, 1u);
}

}  // namespace
}  // namespace dl::master
