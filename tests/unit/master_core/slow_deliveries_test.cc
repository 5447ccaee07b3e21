// Results whose bytes arrive slowly, but never stall.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/one_unit.h"

namespace dl::master {
namespace {

using rpc::Verdict;
using testing::IsEmpty;

class SlowDeliveries : public OneUnit {
 protected:
  static constexpr Duration kProgress = std::chrono::seconds(20);
  static constexpr Duration kUnmeasuredBound = 10 * kProgress;

  void BeginSlow(int executors) {
    JobDefinition definition = OneWorker();
    definition.progress = kProgress;
    definition.lease = std::chrono::hours(1);
    definition.epochs = 10;
    Begin(executors, definition);
  }
  // All executors send heartbeats every 5 s. Meanwhile bytes of the executor's result of the unit
  // arrive, but not the last. `waiting` are leases whose results it delivers later.
  void Trickle(Duration time, int executor, const rpc::Lease& lease,
               const std::vector<rpc::Lease>& waiting = {}) {
    constexpr Duration kStep = std::chrono::seconds(5);
    const uint64_t sender = e_[static_cast<size_t>(executor - 1)];
    std::vector<rpc::UnitProgress> held = {{.unit = lease.unit, .lease = lease.lease}};
    for (const rpc::Lease& other : waiting)
      held.push_back({.unit = other.unit, .lease = other.lease});
    for (Duration passed{}; passed < time; passed += kStep) {
      core_.Wait(kStep);
      core_.Do(BytesArrived{.unit = lease.unit,
                            .number = core_.job(id_).units.at(lease.unit.index).result.expected,
                            .session = sender});
      for (const uint64_t session : e_)
        core_.Heartbeat(session, session == sender ? held : std::vector<rpc::UnitProgress>{});
    }
  }
  const Unit& unit() const { return core_.job(id_).units.at(0); }
  uint64_t expected() const { return unit().result.expected; }
  // The executor computes the round, and its result takes this long to arrive.
  void CompleteRoundIn(Duration time, int executor, int64_t round) {
    const rpc::Lease lease = LeaseTo(executor);
    ASSERT_EQ(Announce(executor, lease, 7), Verdict::kSend);
    Trickle(time, executor, lease);
    core_.Stage(lease, 7, e_[static_cast<size_t>(executor - 1)]);
    core_.RoundIsMerged(id_, round);
  }
};

TEST_F(SlowDeliveries, OverdueResultIsReplacedByAnEqualOne) {
  BeginSlow(2);
  const rpc::Lease slow = LeaseTo(1);
  ASSERT_EQ(Announce(1, slow, 7), Verdict::kSend);
  Trickle(kUnmeasuredBound - std::chrono::seconds(10), 1, slow);
  EXPECT_THAT(core_.LeaseUnits(e_[1]), IsEmpty()) << "it may still arrive in time";
  Trickle(std::chrono::seconds(20), 1, slow);
  ASSERT_TRUE(unit().accepted) << "the slow delivery continues";
  const rpc::Lease other = LeaseTo(2);
  const uint64_t slow_number = expected();
  ASSERT_EQ(Announce(2, other, 7), Verdict::kSend);
  EXPECT_EQ(core_.EffectsOf<DropContribution>().size(), 1u);
  core_.Do(ContributionStaged{slow.unit, slow_number, e_[0]});
  EXPECT_FALSE(unit().result.staged) << "the bytes were dropped";
  core_.Stage(other, 7, e_[1]);
  core_.RoundIsMerged(id_, 1);
  EXPECT_EQ(core_.job(id_).log.committed, 1);
  EXPECT_EQ(core_.job(id_).counts.stalls, 0);
  EXPECT_EQ(core_.LeaseUnits(e_[0]).size(), 1u) << "it is not backed off";
}

TEST_F(SlowDeliveries, SlowDeliveryThatIsCompleteFirstIsUsed) {
  BeginSlow(2);
  const rpc::Lease slow = LeaseTo(1);
  ASSERT_EQ(Announce(1, slow, 7), Verdict::kSend);
  Trickle(kUnmeasuredBound, 1, slow);
  const rpc::Lease other = LeaseTo(2);
  core_.Stage(slow, 7, e_[0]);
  EXPECT_THAT(unit().leases, IsEmpty());
  core_.RoundIsMerged(id_, 1);
  EXPECT_EQ(core_.job(id_).log.committed, 1);
  EXPECT_EQ(Announce(2, other, 7), Verdict::kUnwanted);
  EXPECT_THAT(core_.core().quarantined(), IsEmpty());
}

TEST_F(SlowDeliveries, NothingIsWithdrawnWithoutAnotherExecutor) {
  BeginSlow(1);
  const rpc::Lease slow = LeaseTo(1);
  ASSERT_EQ(Announce(1, slow, 7), Verdict::kSend);
  Trickle(10 * kUnmeasuredBound, 1, slow);
  EXPECT_THAT(core_.LeaseUnits(e_[0]), IsEmpty()) << "it has computed the unit";
  core_.Stage(slow, 7, e_[0]);
  core_.RoundIsMerged(id_, 1);
  EXPECT_EQ(core_.job(id_).log.committed, 1);
}

TEST_F(SlowDeliveries, BoundFollowsDeliveriesOfOthers) {
  BeginSlow(3);
  CompleteRoundIn(std::chrono::seconds(10), 2, 1);
  const rpc::Lease slow = LeaseTo(1);
  ASSERT_EQ(Announce(1, slow, 7), Verdict::kSend);
  Trickle(kProgress + std::chrono::seconds(20), 1, slow);
  EXPECT_THAT(core_.LeaseUnits(e_[2]), IsEmpty()) << "three times the others' 10 s, and the bound";
  Trickle(std::chrono::seconds(10), 1, slow);
  EXPECT_EQ(core_.LeaseUnits(e_[2]).size(), 1u);
}

// Its own deliveries do not count, however often it delivers.
TEST_F(SlowDeliveries, ExecutorCannotRaiseItsBound) {
  BeginSlow(2);
  for (int64_t round = 1; round <= 5; ++round) CompleteRoundIn(std::chrono::seconds(20), 1, round);
  CompleteRoundIn(std::chrono::seconds(5), 2, 6);
  const rpc::Lease slow = LeaseTo(1);
  ASSERT_EQ(Announce(1, slow, 7), Verdict::kSend);
  Trickle(kProgress + std::chrono::seconds(15), 1, slow);
  EXPECT_EQ(core_.LeaseUnits(e_[1]).size(), 1u);
}

// Otherwise a network that is slow for all executors would never deliver the unit.
TEST_F(SlowDeliveries, EachReplacedResultDoublesTheBound) {
  BeginSlow(3);
  const rpc::Lease first = LeaseTo(1);
  ASSERT_EQ(Announce(1, first, 7), Verdict::kSend);
  Trickle(kUnmeasuredBound, 1, first);
  const rpc::Lease second = LeaseTo(2);
  ASSERT_EQ(Announce(2, second, 7), Verdict::kSend);
  Trickle(2 * kUnmeasuredBound - std::chrono::seconds(10), 2, second);
  EXPECT_THAT(core_.LeaseUnits(e_[2]), IsEmpty());
  Trickle(std::chrono::seconds(10), 2, second);
  EXPECT_EQ(core_.LeaseUnits(e_[2]).size(), 1u);
}

// Its second result waits for the first, so its time begins later.
TEST_F(SlowDeliveries, ResultsOfOneSessionTakeTurns) {
  JobDefinition definition = CoreHarness::Definition();
  definition.progress = kProgress;
  definition.lease = std::chrono::hours(1);
  Begin(2, definition);
  const auto leases = core_.LeaseUnits(e_[0], 2);
  ASSERT_EQ(leases.size(), 2u);
  ASSERT_EQ(Announce(1, leases[0], 7), Verdict::kSend);
  core_.Wait(std::chrono::milliseconds(1));
  ASSERT_EQ(Announce(1, leases[1], 8), Verdict::kSend);
  Trickle(kUnmeasuredBound - std::chrono::seconds(10), 1, leases[0], {leases[1]});
  core_.Stage(leases[0], 7, e_[0]);
  Trickle(kUnmeasuredBound - std::chrono::seconds(10), 1, leases[1]);
  EXPECT_THAT(core_.LeaseUnits(e_[1]), IsEmpty());
  Trickle(std::chrono::seconds(10), 1, leases[1]);
  EXPECT_EQ(core_.LeaseUnits(e_[1]).size(), 1u);
}

}  // namespace
}  // namespace dl::master
