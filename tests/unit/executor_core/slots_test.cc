// Slots and their threads: which are free and which hang.
#include "gmock/gmock.h"
#include "tests/unit/executor_core/core_fixture.h"

namespace dl::executor {
namespace {

class Slots : public ExecutorCore {
 protected:
  // Delivers the result of a thread whose unit was aborted.
  void ComeBack(const rpc::Lease& lease) {
    Do(UnitFailed{lease.lease, lease.unit, Cancelled({.message = "aborted"})});
  }
  void Abandon(const rpc::Lease& lease) {
    Wait(std::chrono::milliseconds(500));
    Heartbeat({.abandon = {lease.unit}});
    ASSERT_EQ(Effects<AbortUnit>().size(), 1u);
    EXPECT_EQ(Effects<AbortUnit>()[0].lease, lease.lease);
  }
  // Answers the pending request for work. Returns how many units the core then asks for; 0: none.
  int32_t AskedFor() {
    Do(LeaseAnswered{core_->session(), rpc::LeaseReply{}});
    return Effects<SendLease>().empty() ? 0 : Effects<SendLease>()[0].request.free_slots;
  }
};

TEST_F(Slots, UnitRunsInFreeSlot) {
  Register(11);
  const auto slot_of = [this](const rpc::Lease& lease) {
    Lease(lease);
    return Effects<RunUnit>().at(0).slot;
  };
  EXPECT_EQ(slot_of(MakeLease(1, 0)), 0);
  EXPECT_EQ(slot_of(MakeLease(2, 1)), 1);
  Compute(MakeLease(2, 1));
  EXPECT_EQ(slot_of(MakeLease(3, 2)), 1);
  Compute(MakeLease(1, 0));
  EXPECT_EQ(slot_of(MakeLease(4, 3)), 0);
}

// A unit runs in the slot that has read its first minibatches ahead, whatever the order in which
// slots become free.
TEST_F(Slots, PrefetchedUnitRunsInItsSlot) {
  Register(11);
  const auto hinting = [this](uint64_t id, int32_t index, int32_t next) {
    rpc::Lease lease = MakeLease(id, index);
    lease.has_hint = true;
    lease.hint = MakeLease(0, next).unit;
    return lease;
  };
  Lease(hinting(1, 0, 3));  // runs in slot 0
  Lease(hinting(2, 1, 2));  // runs in slot 1
  Compute(hinting(1, 0, 3));
  Compute(hinting(2, 1, 2));
  Lease(hinting(3, 2, 4));
  ASSERT_EQ(Effects<RunUnit>().size(), 1u);
  EXPECT_EQ(Effects<RunUnit>()[0].slot, 1);
  Lease(hinting(4, 3, 5));
  ASSERT_EQ(Effects<RunUnit>().size(), 1u);
  EXPECT_EQ(Effects<RunUnit>()[0].slot, 0);
}

// A unit that no slot has read ahead runs in a slot that has read nothing ahead, if one is free.
// Otherwise it still runs.
TEST_F(Slots, UnreadUnitAvoidsPrefetchingSlot) {
  Register(11);
  rpc::Lease hints = MakeLease(1, 0);
  hints.has_hint = true;
  hints.hint = MakeLease(0, 7).unit;
  Lease(hints);  // runs in slot 0
  Compute(hints);
  Lease(MakeLease(2, 4));
  ASSERT_EQ(Effects<RunUnit>().size(), 1u);
  EXPECT_EQ(Effects<RunUnit>()[0].slot, 1);
  Lease(MakeLease(3, 5));
  ASSERT_EQ(Effects<RunUnit>().size(), 1u);
  EXPECT_EQ(Effects<RunUnit>()[0].slot, 0);
}

TEST_F(Slots, ExcessUnitsWait) {
  Register(11);
  for (uint64_t lease = 1; lease <= 2; ++lease) Lease(MakeLease(lease, static_cast<int>(lease)));
  Lease(MakeLease(3, 3));
  EXPECT_TRUE(Effects<RunUnit>().empty());
  EXPECT_EQ(AskedFor(), 0);
  EXPECT_GT(core_->NextDeadline(), now_) << "it spins";
  Compute(MakeLease(2, 2));
  ASSERT_EQ(Effects<RunUnit>().size(), 1u);
  EXPECT_EQ(Effects<RunUnit>()[0].lease.lease, 3u);
  EXPECT_EQ(Effects<RunUnit>()[0].slot, 1);
}

TEST_F(Slots, HangingThreadKeepsSlot) {
  Register(11);
  Lease(MakeLease(1, 0));
  Abandon(MakeLease(1, 0));
  EXPECT_EQ(AskedFor(), 1);
  Lease(MakeLease(2, 1));
  ASSERT_EQ(Effects<RunUnit>().size(), 1u);
  EXPECT_EQ(Effects<RunUnit>()[0].slot, 1) << "not behind the one that hangs";
  EXPECT_EQ(AskedFor(), 0);
  Wait(std::chrono::milliseconds(500));
  Heartbeat({});
  Wait(std::chrono::milliseconds(500));
  ASSERT_EQ(Effects<SendHeartbeat>().size(), 1u);
  const auto running = Effects<SendHeartbeat>()[0].request.running;
  ASSERT_EQ(running.size(), 1u) << "the aborted one is not its any more";
  EXPECT_EQ(running[0].lease, 2u);
  ComeBack(MakeLease(1, 0));
  ASSERT_EQ(Effects<SendLease>().size(), 1u);
  EXPECT_EQ(Effects<SendLease>()[0].request.free_slots, 1);
}

TEST_F(Slots, AllHangingSlotsRequestNoWork) {
  Register(11);
  for (int i = 0; i < 2; ++i) Lease(MakeLease(1 + i, i));
  for (int i = 0; i < 2; ++i) Abandon(MakeLease(1 + i, i));
  EXPECT_EQ(AskedFor(), 0);
  Heartbeat({});
  EXPECT_GT(core_->NextDeadline(), now_) << "it spins";
  Lease(MakeLease(3, 2));
  EXPECT_TRUE(Effects<RunUnit>().empty());
  Do(UnitFinished{2, MakeLease(2, 1).unit, {}});  // the thread hung only for a while
  ASSERT_EQ(Effects<DropResult>().size(), 1u);
  ASSERT_EQ(Effects<RunUnit>().size(), 1u);
  EXPECT_EQ(Effects<RunUnit>()[0].slot, 1);
}

TEST_F(Slots, RecomputedUnitDoesNotWaitForItself) {
  Register(11);
  Lease(MakeLease(1));
  Lease(MakeLease(2, 0, "another base"));
  ASSERT_EQ(Effects<AbortUnit>().size(), 1u);
  ASSERT_EQ(Effects<RunUnit>().size(), 1u);
  EXPECT_EQ(Effects<RunUnit>()[0].slot, 1);
  ComeBack(MakeLease(1));
  EXPECT_TRUE(Effects<AbortUnit>().empty());
  Compute(MakeLease(2, 0, "another base"));
  EXPECT_EQ(Effects<SendAnnounce>().size(), 1u);
}

// A request for work may already be on its way, with a lower number of free slots.
TEST_F(Slots, AnnouncementHasNumberOfFreeSlots) {
  Register(11);
  Lease(MakeLease(1, 1));
  Lease(MakeLease(2, 2));
  const auto free = [this] { return Effects<SendAnnounce>().at(0).request.free_slots; };
  Compute(MakeLease(1, 1));
  EXPECT_EQ(free(), 1);
  Compute(MakeLease(2, 2));
  EXPECT_EQ(free(), 2);
  Lease(MakeLease(3, 3));
  Lease(MakeLease(4, 4));
  Heartbeat({.master_stops = true});
  Compute(MakeLease(3, 3));
  EXPECT_EQ(free(), 0) << "it begins nothing more";
}

// The answer concerns an earlier computation of the same unit in the same session.
TEST_F(Slots, AnswerAppliesToItsComputation) {
  Register(11);
  Lease(MakeLease(1));
  Compute(MakeLease(1));
  Wait(std::chrono::milliseconds(500));
  Heartbeat({.abandon = {MakeLease(1).unit}});
  ASSERT_EQ(Effects<DropResult>().size(), 1u);
  Lease(MakeLease(2));
  Compute(MakeLease(2));
  ASSERT_EQ(Effects<SendAnnounce>().size(), 1u);
  const auto verdict = [&](uint64_t lease, rpc::Verdict verdict) {
    Do(AnnounceAnswered{11, lease, MakeLease(2).unit, rpc::AnnounceReply{verdict}});
  };
  verdict(1, rpc::Verdict::kUnwanted);
  EXPECT_TRUE(Effects<DropResult>().empty());
  verdict(1, rpc::Verdict::kSend);
  EXPECT_TRUE(Effects<SendContribution>().empty()) << "nobody has heard of the second one yet";
  verdict(2, rpc::Verdict::kSend);
  ASSERT_EQ(Effects<SendContribution>().size(), 1u);
  Do(ContributionSent{11, 1, MakeLease(2).unit, rpc::ContributionReply{rpc::Receipt::kComplete}});
  LoseSession();
  EXPECT_TRUE(Effects<SendRegister>().at(0).request.held_contributions.empty())
      << "these bytes have not arrived";
}

TEST_F(Slots, HeartbeatListsComputations) {
  Register(11);
  Lease(MakeLease(1));
  LoseSession();
  Register(12);
  Lease(MakeLease(2));  // the running computation also serves the new lease
  Heartbeat({});
  Wait(std::chrono::milliseconds(500));
  ASSERT_EQ(Effects<SendHeartbeat>().size(), 1u);
  EXPECT_EQ(Effects<SendHeartbeat>()[0].request.running.at(0).lease, 2u);
  EXPECT_EQ(Effects<SendHeartbeat>()[0].computations, std::vector<uint64_t>{1});
}

TEST_F(Slots, HeartbeatAcknowledgesNotices) {
  Register(11);
  EXPECT_EQ(Effects<SendHeartbeat>().at(0).request.notices_seen, 0u);
  const auto next = [&](rpc::HeartbeatReply reply) {
    Heartbeat(std::move(reply));
    const size_t offers = Effects<OfferPart>().size();
    Wait(std::chrono::milliseconds(500));
    return std::pair(Effects<SendHeartbeat>().at(0).request.notices_seen, offers);
  };
  EXPECT_EQ(next({.offer = {"job/a"}, .number = 4}), std::pair(uint64_t{4}, size_t{1}));
  EXPECT_EQ(next({.offer = {"job/a"}, .number = 4}), std::pair(uint64_t{4}, size_t{0}));
  EXPECT_EQ(next({.offer = {"job/b"}, .number = 5}), std::pair(uint64_t{5}, size_t{1}));
  Do(HeartbeatAnswered{11, Unavailable({.message = "lost"})});
  Wait(std::chrono::milliseconds(500));
  EXPECT_EQ(Effects<SendHeartbeat>().at(0).request.notices_seen, 5u);
  LoseSession();
  Register(12);
  EXPECT_EQ(Effects<SendHeartbeat>().at(0).request.notices_seen, 0u) << "another session's count";
}

TEST_F(Slots, RestartsOnce) {
  Register(11);
  Heartbeat({.restart = true, .restart_reason = "a unit has made no progress for 60 s"});
  ASSERT_EQ(Effects<Restart>().size(), 1u);
  EXPECT_EQ(Effects<Restart>()[0].why, "as the master asks: a unit has made no progress for 60 s");
  Wait(std::chrono::milliseconds(500));
  Heartbeat({.restart = true, .restart_reason = "a unit has made no progress for 60 s"});
  EXPECT_TRUE(Effects<Restart>().empty());
}

// The master has ended the lease of the hanging unit, so only the executor itself can notice the
// hanging thread.
TEST_F(Slots, HangingThreadCausesRestart) {
  Register(11);
  Lease(MakeLease(1));
  Lease(MakeLease(2, 1));
  Abandon(MakeLease(1));
  const auto beats = [&](Duration time) {
    for (Duration passed{}; passed < time; passed += std::chrono::seconds(1)) {
      Wait(std::chrono::seconds(1));
      if (!Effects<Restart>().empty()) return;
      Do(HeartbeatAnswered{11, rpc::HeartbeatReply{}});
    }
  };
  beats(std::chrono::minutes(9));
  EXPECT_TRUE(Effects<Restart>().empty()) << "the other unit is not thrown away";
  EXPECT_EQ(AskedFor(), 0) << "and no more work is taken";
  Deliver(MakeLease(2, 1));
  beats(std::chrono::seconds(2));
  ASSERT_EQ(Effects<Restart>().size(), 1u);
  EXPECT_THAT(Effects<Restart>()[0].why,
              testing::HasSubstr("unit job/train/1/0 has not come back since that was given up"));
}

TEST_F(Slots, RestartDoesNotWaitForHangingOthers) {
  Register(11);
  Lease(MakeLease(1));
  Lease(MakeLease(2, 1));
  Abandon(MakeLease(1));
  int seconds = 0;
  for (; seconds < 1000 && Effects<Restart>().empty(); ++seconds) {
    Do(HeartbeatAnswered{11, rpc::HeartbeatReply{}});
    Wait(std::chrono::seconds(1));
  }
  EXPECT_NEAR(seconds, 600, 5);
}

// The executor of local[N] cannot restart itself.
TEST_F(Slots, OtherSlotsContinueIfRestartIsImpossible) {
  SetUpCore({.name = "e1", .slots = 2, .can_restart = false});
  Register(11);
  Lease(MakeLease(1));
  Abandon(MakeLease(1));
  int warnings = 0;
  for (int seconds = 0; seconds < 1000; ++seconds) {
    Do(HeartbeatAnswered{11, rpc::HeartbeatReply{}});
    Wait(std::chrono::seconds(1));
    EXPECT_TRUE(Effects<Restart>().empty());
    warnings += static_cast<int>(Effects<Warn>().size());
  }
  EXPECT_EQ(warnings, 1);
  EXPECT_EQ(AskedFor(), 1);
}

TEST_F(Slots, LateThreadCausesNoRestart) {
  Register(11);
  Lease(MakeLease(1));
  Abandon(MakeLease(1));
  for (int i = 0; i < 700; ++i) {
    Wait(std::chrono::seconds(1));
    EXPECT_TRUE(Effects<Restart>().empty());
    if (i == 250) Do(UnitFailed{1, MakeLease(1).unit, Cancelled({.message = "aborted"})});
    Do(HeartbeatAnswered{11, rpc::HeartbeatReply{}});
  }
  EXPECT_EQ(AskedFor(), 2);
}

}  // namespace
}  // namespace dl::executor
