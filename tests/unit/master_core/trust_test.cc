// Whom the master believes, and what it takes back.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/one_unit.h"

namespace dl::master {
namespace {

using dl::test::IsError;
using rpc::Verdict;
using testing::HasSubstr;

class Trust : public OneUnit {
 protected:
  // One round after the other, each computed by one executor alone.
  void Round(int executor, uint64_t bits) {
    const rpc::Lease lease = LeaseTo(executor);
    EXPECT_EQ(Announce(executor, lease, bits), Verdict::kSend);
    core_.Stage(lease, bits, e_[static_cast<size_t>(executor - 1)]);
    core_.RoundIsMerged(id_, core_.job(id_).at + 1, State(core_.job(id_).at + 1, bits));
  }
  std::string State(int64_t round, uint64_t bits) const {
    return "state-" + std::to_string(round) + "-" + std::to_string(bits);
  }
  // It gives a result of the open unit that two others contradict.
  void Catch(int liar, int one, int other) {
    const rpc::Lease lease = LeaseTo(liar);
    Announce(liar, lease, 66);
    const rpc::Lease bare{.unit = lease.unit, .base_sha256 = lease.base_sha256};
    rpc::Lease same = bare;
    same.spec_sha256 = lease.spec_sha256;
    Announce(one, same, 7);
    Announce(other, same, 7);
  }
  static JobDefinition Long() {
    JobDefinition definition = OneWorker();
    definition.epochs = 20;
    return definition;
  }
  const Job& job() const { return core_.job(id_); }
  int64_t PreparedRound() const {
    const auto prepared = core_.EffectsOf<PrepareState>();
    return prepared.empty() ? -1 : prepared[0].round;
  }
};

TEST_F(Trust, FromAQuarantineOnNoUnconfirmedRoundOfTheLiarCounts) {
  Begin(3, Long());
  core_.CheckpointIsWritten(id_, 0);
  Round(2, 1);
  Round(1, 66);  // a lie that nobody checks
  Round(2, 3);
  Round(3, 4);
  ASSERT_EQ(job().committed, 4);
  Catch(1, 2, 3);
  ASSERT_TRUE(core_.core().quarantined().contains("e1"));
  EXPECT_EQ(job().committed, 1) << "the last round before the liar's first";
  EXPECT_EQ(job().record.state, JobState::kRecovering);
  EXPECT_EQ(job().record.rollbacks, 1);
  EXPECT_EQ(PreparedRound(), 0);
  core_.StateIsPrepared(id_, 0);
  core_.Wait(std::chrono::seconds(1));
  for (uint64_t session : e_) core_.Heartbeat(session);
  const rpc::Lease again = LeaseTo(2);
  EXPECT_EQ(again.unit.round, 1) << "replayed";
  Announce(2, again, 1);
  core_.Stage(again, 1, e_[1]);
  core_.RoundIsMerged(id_, 1, State(1, 1));
  EXPECT_EQ(job().replayed_rounds, 1);
  Round(2, 2);
  EXPECT_EQ(job().committed, 2);
  const Json result = core_.Query("result", id_);
  EXPECT_EQ(result.value("rollbacks", 0), 1);
}

TEST_F(Trust, WhatWasTakenBackIsTakenBackBehindARestartToo) {
  Begin(3, Long());
  Round(2, 1);
  Round(1, 66);
  Round(2, 3);
  Catch(1, 2, 3);
  ASSERT_EQ(job().committed, 1);
  core_.Restart();
  EXPECT_EQ(job().committed, 1);
  EXPECT_EQ(job().commits.rbegin()->first, 1);
  EXPECT_EQ(job().record.rollbacks, 1);
  EXPECT_TRUE(job().unverified_since.contains("e2"));
  EXPECT_FALSE(job().unverified_since.contains("e1"));
}

TEST_F(Trust, WhoseWordARoundRestsOnOutlivesTheMaster) {
  Begin(3, Long());
  Round(2, 1);
  Round(1, 66);
  core_.Restart();
  e_.clear();
  for (int i = 1; i <= 3; ++i) {
    e_.push_back(core_.Register("e" + std::to_string(i), {.incarnation = 2}));
  }
  core_.StateIsPrepared(id_, 0);
  core_.Wait(std::chrono::seconds(1));
  for (uint64_t bits : {1, 66}) {  // replayed: they agree with the commits
    const rpc::Lease lease = LeaseTo(1);
    Announce(1, lease, bits);
    core_.Stage(lease, bits, e_[0]);
    core_.RoundIsMerged(id_, job().at + 1, State(job().at + 1, bits));
  }
  ASSERT_EQ(job().at, 2);
  Catch(1, 2, 3);
  EXPECT_EQ(job().committed, 1);
}

TEST_F(Trust, ConfirmedRoundsStay) {
  JobDefinition definition = Long();
  definition.verify_fraction = 1;
  Begin(3, definition);
  for (int round = 1; round <= 2; ++round) {
    const rpc::Lease one = LeaseTo(1);
    Announce(1, one, 7);
    core_.Stage(one, 7, e_[0]);
    Announce(2, LeaseTo(2), 7);
    core_.RoundIsMerged(id_, round, State(round, 7));
  }
  ASSERT_EQ(job().committed, 2);
  Catch(1, 2, 3);
  EXPECT_TRUE(core_.core().quarantined().contains("e1"));
  EXPECT_EQ(job().committed, 2);
  EXPECT_EQ(job().record.rollbacks, 0);
}

TEST_F(Trust, CheckpointsOfRoundsThatDoNotCountAreDeletedPinnedOnesToo) {
  Begin(3, Long());
  core_.CheckpointIsWritten(id_, 0);
  Round(1, 66);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCheckpoint}));
  core_.CheckpointIsWritten(id_, 1);
  ASSERT_TRUE(job().HasCheckpoint(1));
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kPin, .round = 1}));
  Catch(1, 2, 3);
  EXPECT_EQ(job().committed, 0);
  EXPECT_FALSE(job().checkpoints.contains(1));
  EXPECT_GE(core_.EffectsOf<DeleteCheckpoint>().size(), 1u);
}

TEST_F(Trust, ACheckpointThatWasBeingWrittenOfATakenBackRoundIsDeleted) {
  Begin(3, Long());
  Round(1, 66);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCheckpoint}));
  ASSERT_EQ(job().writing_checkpoint, 1);
  Catch(1, 2, 3);
  core_.StateIsPrepared(id_, 0);
  Round(2, 1);
  DL_ASSERT_OK(core_.Act({.job = id_, .action = rpc::JobAction::kCheckpoint}));
  ASSERT_EQ(job().writing_checkpoint, 1);
  core_.Do(CheckpointWritten{
      .job = id_, .round = 1, .state_sha256 = State(1, 66), .manifest = "{\"old\":1}"});
  EXPECT_FALSE(job().HasCheckpoint(1)) << "of another state";
  EXPECT_EQ(core_.EffectsOf<DeleteCheckpoint>().size(), 1u);
  core_.CheckpointIsWritten(id_, 1);
  EXPECT_TRUE(job().HasCheckpoint(1));
}

TEST_F(Trust, ALateResultThatContradictsTheCommitOpensItsRoundAgain) {
  Begin(3, Long());
  const rpc::Lease late = LeaseTo(1);
  const rpc::AnnounceRequest other = core_.Announcement(e_[0], late, 7);
  core_.Wait(std::chrono::milliseconds(2100));
  Round(2, 66);  // the committed one is the lie
  Round(2, 66);
  core_.Do(Asked<Announcement>{902, Understand(other)});
  EXPECT_EQ(job().committed, 0);
  core_.StateIsPrepared(id_, 0);
  EXPECT_TRUE(job().units.at(0).disputed());
  EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty());
  EXPECT_TRUE(core_.LeaseUnits(e_[1]).empty());
  EXPECT_EQ(Announce(3, LeaseTo(3), 7), Verdict::kSend);
  EXPECT_EQ(core_.core().quarantined(), (std::set<std::string>{"e2"}));
}

TEST_F(Trust, ALateResultThatTwoContradictIsItsExecutorsFault) {
  JobDefinition definition = Long();
  definition.verify_fraction = 1;
  Begin(3, definition);
  const rpc::Lease late = LeaseTo(3);
  const rpc::AnnounceRequest other = core_.Announcement(e_[2], late, 66);
  core_.Wait(std::chrono::milliseconds(2100));
  for (uint64_t session : e_) core_.Heartbeat(session);
  const rpc::Lease one = LeaseTo(1);
  Announce(1, one, 7);
  core_.Stage(one, 7, e_[0]);
  Announce(2, {.unit = one.unit, .base_sha256 = one.base_sha256, .spec_sha256 = one.spec_sha256},
           7);
  core_.RoundIsMerged(id_, 1, State(1, 7));
  ASSERT_EQ(job().committed, 1);
  core_.Do(Asked<Announcement>{902, Understand(other)});
  EXPECT_EQ(core_.core().quarantined(), (std::set<std::string>{"e3"}));
  EXPECT_EQ(job().committed, 1);
}

// What is announced beside the bytes is compared too.
TEST_F(Trust, AFlippedBitInAnAnnouncementIsADispute) {
  Begin(3, Verified());
  const rpc::Lease first = LeaseTo(1);
  rpc::AnnounceRequest flipped = core_.Announcement(e_[0], first, 7);
  flipped.example_hash_sum ^= 1;
  core_.Do(Asked<Announcement>{901, Understand(flipped)});
  ASSERT_TRUE(job().units.at(0).accepted);
  core_.Stage(first, 7, e_[0]);
  EXPECT_EQ(Announce(2, LeaseTo(2), 7), Verdict::kUnwanted);
  EXPECT_TRUE(job().units.at(0).disputed());
  EXPECT_EQ(Announce(3, LeaseTo(3), 7), Verdict::kSend);
  EXPECT_EQ(core_.core().quarantined(), (std::set<std::string>{"e1"}));
}

// Of a unit that nobody checked it shows at the epoch's end.
TEST_F(Trust, AnEpochThatDoesNotAddUpIsComputedAgainAndEveryUnitOfItTwice) {
  JobDefinition definition = OneWorker();
  definition.plan = {.examples = 4, .workers = 1, .batch_size = 2, .averaging_frequency = 1};
  Begin(3, definition);  // two rounds an epoch
  for (const uint64_t flip : {1, 0}) {
    const rpc::Lease lease = LeaseTo(1);
    rpc::AnnounceRequest said = core_.Announcement(e_[0], lease, 7);
    said.example_hash_sum ^= flip;
    core_.Do(Asked<Announcement>{901, Understand(said)});
    core_.Stage(lease, 7, e_[0]);
    core_.RoundIsMerged(id_, job().at + 1, State(job().at + 1, 7));
  }
  EXPECT_EQ(job().committed, 0);
  EXPECT_EQ(job().record.rollbacks, 1);
  core_.StateIsPrepared(id_, 0);
  for (int round = 1; round <= 2; ++round) {
    const rpc::Lease lease = LeaseTo(1);
    Announce(1, lease, 7);
    core_.Stage(lease, 7, e_[0]);
    EXPECT_EQ(job().phase, Phase::kTraining) << "round " << round << " wants a second result";
    Announce(2, LeaseTo(2), 7);
    core_.RoundIsMerged(id_, round, State(round, 7));
  }
  EXPECT_EQ(job().committed, 2);
  EXPECT_FALSE(job().units.at(0).verify) << "the next epoch is as before";
}

TEST_F(Trust, AnEpochOfOneRoundIsComputedAgainInItsPlaceAndFailsTheSecondTime) {
  Begin(1);
  for (int time = 1; time <= 2; ++time) {
    EXPECT_EQ(state(), JobState::kRunning);
    for (int result = 1; result <= time; ++result) {  // the second time it confirms itself
      const rpc::Lease lease = LeaseTo(1);
      rpc::AnnounceRequest said = core_.Announcement(e_[0], lease, 7);
      said.example_hash_sum ^= 1;
      core_.Do(Asked<Announcement>{901, Understand(said)});
      core_.Stage(lease, 7, e_[0]);
    }
    core_.RoundIsMerged(id_, 1);
  }
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kExampleSum);
}

TEST_F(Trust, ADisagreementWhileTheRoundIsMergedIsADispute) {
  Begin(3);
  const rpc::Lease slow = LeaseTo(1);
  core_.Wait(std::chrono::milliseconds(2100));
  for (uint64_t session : e_) core_.Heartbeat(session);
  const rpc::Lease lease = LeaseTo(2);
  Announce(2, lease, 66);
  core_.Stage(lease, 66, e_[1]);
  ASSERT_EQ(job().phase, Phase::kMerging);
  const uint64_t stale = job().merge;
  Announce(1, slow, 7);
  EXPECT_EQ(job().phase, Phase::kTraining);
  EXPECT_TRUE(job().units.at(0).disputed());
  core_.Do(RoundMerged{.job = id_, .round = 1, .merge = stale, .names = {.state_sha256 = "lie"}});
  EXPECT_EQ(job().committed, 0) << "of what is disputed";
  const rpc::Lease third = LeaseTo(3);
  EXPECT_EQ(Announce(3, third, 7), Verdict::kSend);
  core_.Stage(third, 7, e_[2]);
  ASSERT_EQ(job().phase, Phase::kMerging);
  core_.Do(RoundMerged{.job = id_, .round = 1, .merge = stale, .names = {.state_sha256 = "lie"}});
  EXPECT_EQ(job().committed, 0);
  core_.RoundIsMerged(id_, 1, "truth");
  EXPECT_EQ(job().names.state_sha256, "truth");
}

// A round that is computed again is compared unit by unit with its commit.
class Replay : public Trust {
 protected:
  void SetUp() override {
    Begin(3, Long());
    core_.CheckpointIsWritten(id_, 0);
    Round(2, 7);
    core_.Restart();
    e_.clear();
    for (int i = 1; i <= 3; ++i) {
      e_.push_back(core_.Register("e" + std::to_string(i), {.incarnation = 2}));
    }
    core_.StateIsPrepared(id_, 0);
    core_.Wait(std::chrono::seconds(1));
    ASSERT_TRUE(job().replaying());
  }
};

TEST_F(Replay, AWrongUnitIsComputedAgainElsewhere) {
  Announce(1, LeaseTo(1), 66);
  EXPECT_EQ(state(), JobState::kRecovering);
  EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty());
  const rpc::Lease again = LeaseTo(2);
  EXPECT_EQ(Announce(2, again, 7), Verdict::kSend);
  EXPECT_EQ(core_.core().quarantined(), (std::set<std::string>{"e1"}));
  core_.Stage(again, 7, e_[1]);
  core_.RoundIsMerged(id_, 1, State(1, 7));
  EXPECT_EQ(state(), JobState::kRunning);
  EXPECT_EQ(job().replayed_rounds, 1);
}

TEST_F(Replay, WhereTwoContradictTheCommitTheCommitWasWrong) {
  Announce(1, LeaseTo(1), 8);
  Announce(3, LeaseTo(3), 8);
  EXPECT_EQ(job().committed, 0);
  EXPECT_EQ(job().record.rollbacks, 1);
  EXPECT_TRUE(core_.core().quarantined().empty());
  core_.StateIsPrepared(id_, 0);
  const rpc::Lease again = LeaseTo(1);
  EXPECT_EQ(Announce(1, again, 8), Verdict::kSend);
  core_.Stage(again, 8, e_[0]);
  core_.RoundIsMerged(id_, 1, State(1, 8));
  EXPECT_EQ(job().committed, 1);
}

TEST_F(Replay, WithoutAnybodyToDecideTheJobFails) {
  Announce(1, LeaseTo(1), 66);
  core_.Do(Asked<rpc::GoodbyeRequest>{990, {.session = e_[1]}});
  core_.Do(Asked<rpc::GoodbyeRequest>{991, {.session = e_[2]}});
  e_.resize(1);
  KeepAlive(std::chrono::seconds(25));
  EXPECT_EQ(state(), JobState::kRecovering);
  KeepAlive(std::chrono::seconds(10));
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kReplayMismatch);
}

class NotFinite : public Trust {
 protected:
  void SayNotFinite(int executor) {
    DL_EXPECT_OK(core_.ReportFailure(e_[static_cast<size_t>(executor - 1)], LeaseTo(executor),
                                     "invalid_argument", /*not_finite=*/true));
    KeepAlive(std::chrono::seconds(1));
  }
};

TEST_F(NotFinite, IsConfirmedByAnotherExecutorWhereOneIsThere) {
  Begin(2);
  SayNotFinite(1);
  EXPECT_TRUE(core_.LeaseUnits(e_[0]).empty()) << "it has said so";
  SayNotFinite(2);
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kNotFinite);
}

TEST_F(NotFinite, WhoAloneSeesItIsQuarantined) {
  Begin(2);
  SayNotFinite(1);
  const rpc::Lease lease = LeaseTo(2);
  EXPECT_EQ(Announce(2, lease, 7), Verdict::kSend);
  EXPECT_EQ(core_.core().quarantined(), (std::set<std::string>{"e1"}));
  core_.Stage(lease, 7, e_[1]);
  core_.RoundIsMerged(id_, 1);
  EXPECT_EQ(job().committed, 1);
}

TEST_F(NotFinite, OneThatIsAloneSaysItTwice) {
  Begin(1);
  SayNotFinite(1);
  EXPECT_EQ(state(), JobState::kRunning);
  SayNotFinite(1);
  EXPECT_EQ(state(), JobState::kFailed);
  EXPECT_EQ(reason(), Reason::kNotFinite);
}

class Deciders : public Trust {
 protected:
  static JobDefinition Trusting() {
    JobDefinition definition = Verified();
    definition.verify_executors = {"e3"};
    return definition;
  }
};

TEST_F(Deciders, TwoForgersDoNotOutvoteATrustedOne) {
  Begin(4, Trusting());
  Announce(1, LeaseTo(1), 66);
  EXPECT_TRUE(core_.LeaseUnits(e_[1]).empty()) << "the second result is the trusted one's";
  const rpc::Lease trusted = LeaseTo(3);
  EXPECT_EQ(Announce(3, trusted, 7), Verdict::kSend);
  EXPECT_EQ(core_.core().quarantined(), (std::set<std::string>{"e1"}));
  core_.Stage(trusted, 7, e_[2]);
  core_.RoundIsMerged(id_, 1);
  EXPECT_EQ(job().committed, 1);
  EXPECT_TRUE(job().unverified_since.empty());
}

TEST_F(Deciders, AResultOfATrustedOneNeedsNobody) {
  Begin(3, Trusting());
  const rpc::Lease trusted = LeaseTo(3);
  Announce(3, trusted, 7);
  core_.Stage(trusted, 7, e_[2]);
  EXPECT_EQ(job().phase, Phase::kMerging);
}

// What a session is told it is told until it says that it heard.
TEST(Notices, AreRepeatedUntilTheyAreSeen) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  const std::string id = core.RunningJob(CoreHarness::Definition());
  core.CompleteRound(id, e1);
  const auto heartbeat = [&](uint64_t seen) {
    core.Do(Asked<rpc::HeartbeatRequest>{77, {.session = e1, .notices_seen = seen}});
    return std::get<rpc::HeartbeatReply>(core.EffectsOf<Answer>().at(0).reply);
  };
  const rpc::HeartbeatReply lost = heartbeat(0);
  ASSERT_EQ(lost.committed.size(), 1u);
  const rpc::HeartbeatReply again = heartbeat(0);
  EXPECT_EQ(again.committed, lost.committed);
  EXPECT_GT(again.number, lost.number);
  EXPECT_TRUE(heartbeat(again.number).committed.empty());
  core.CompleteRound(id, e1);
  const rpc::HeartbeatReply fresh = heartbeat(0);
  ASSERT_EQ(fresh.committed.size(), 1u);
  EXPECT_EQ(fresh.committed[0].round, 2);
}

}  // namespace
}  // namespace dl::master
