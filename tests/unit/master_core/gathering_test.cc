// Rounds with more contributions than the master can stage.
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {
namespace {

using rpc::Verdict;

JobDefinition Large(int64_t workers) {
  JobDefinition definition = CoreHarness::Definition();
  definition.plan = {
      .examples = 2 * workers, .workers = workers, .batch_size = 2, .averaging_frequency = 1};
  definition.example_hash_sum = static_cast<uint64_t>(2 * workers);
  return definition;
}

class GatheredRound : public testing::Test {
 protected:
  void Begin(const JobDefinition& definition) { id_ = core_.RunningJob(definition); }
  // Computes and announces the next unit of the open round.
  rpc::Lease Hold(uint64_t session) {
    const auto leases = core_.LeaseUnits(session);
    EXPECT_EQ(leases.size(), 1u);
    if (leases.empty()) return {};
    const auto reply = core_.Announce(session, leases[0], BitsOf(leases[0].unit.index));
    EXPECT_EQ(reply->verdict, Verdict::kHold);
    held_[session].push_back({.unit = leases[0].unit, .lease = leases[0].lease});
    return leases[0];
  }
  static uint64_t BitsOf(int32_t worker) { return 100 + static_cast<uint64_t>(worker); }
  // Returns the requests to the session, from a heartbeat that lists its held results.
  std::vector<rpc::Gather> AskedOf(uint64_t session) {
    return core_.Heartbeat(session, held_[session]).gathers;
  }
  void Arrive(uint64_t session, const rpc::Gather& gather) {
    core_.Do(Gathered{id_, gather.round, gather.number, session});
  }
  Phase phase() const { return core_.job(id_).phase; }

  CoreHarness core_{{.staging_bytes = 0}};
  std::string id_;
  std::map<uint64_t, std::vector<rpc::UnitProgress>> held_;
};

TEST_F(GatheredRound, RequestsFollowLastAnnouncement) {
  const uint64_t e1 = core_.Register("e1"), e2 = core_.Register("e2");
  Begin(Large(3));
  Hold(e1);
  Hold(e1);
  EXPECT_TRUE(AskedOf(e1).empty());
  EXPECT_TRUE(core_.EffectsOf<ExpectContribution>().empty());
  Hold(e2);
  EXPECT_EQ(phase(), Phase::kGathering);
  ASSERT_EQ(core_.EffectsOf<OpenGather>().size(), 1u);
  EXPECT_EQ(core_.EffectsOf<ExpectGather>().size(), 2u);
  const auto of_e1 = AskedOf(e1), of_e2 = AskedOf(e2);
  ASSERT_EQ(of_e1.size(), 1u);
  EXPECT_TRUE(of_e1[0].sum);
  EXPECT_EQ(of_e1[0].weight_sum, 3);
  ASSERT_EQ(of_e1[0].inputs.size(), 2u);
  EXPECT_EQ(of_e1[0].inputs[0], (rpc::GatherInput{.index = 0, .hash = BitsOf(0), .weight = 1}));
  ASSERT_EQ(of_e2.size(), 1u);
  EXPECT_FALSE(of_e2[0].sum) << "one contribution travels as it is";
  EXPECT_EQ(AskedOf(e1).size(), 1u) << "until it came";
  Arrive(e1, of_e1[0]);
  EXPECT_TRUE(AskedOf(e1).empty());
  EXPECT_TRUE(core_.EffectsOf<Merge>().empty());
  Arrive(e2, of_e2[0]);
  ASSERT_EQ(core_.EffectsOf<Merge>().size(), 1u);
  EXPECT_TRUE(core_.EffectsOf<Merge>()[0].gathered);
  EXPECT_EQ(core_.EffectsOf<Merge>()[0].inputs.size(), 3u);
  core_.RoundIsMerged(id_, 1);
  EXPECT_EQ(core_.job(id_).log.committed, 1);
}

TEST_F(GatheredRound, WaitingExecutorIsAskedAtOnce) {
  const uint64_t e1 = core_.Register("e1"), e2 = core_.Register("e2");
  Begin(Large(2));
  Hold(e1);
  const rpc::Lease last = core_.LeaseUnits(e2).at(0);
  core_.Do(Asked<rpc::LeaseRequest>{900, {.session = e1, .free_slots = 1, .wait_ms = 60'000}});
  DL_ASSERT_OK(core_.Announce(e2, last, BitsOf(last.unit.index)));
  size_t expected_at = 0, answered_at = 0;
  for (size_t i = 0; i < core_.effects.size(); ++i) {
    if (std::holds_alternative<ExpectGather>(core_.effects[i])) expected_at = i + 1;
    const auto* answer = std::get_if<Answer>(&core_.effects[i]);
    if (answer == nullptr || answer->token != 900) continue;
    answered_at = i + 1;
    EXPECT_EQ(std::get<rpc::LeaseReply>(answer->reply).gathers.size(), 1u);
  }
  EXPECT_GT(expected_at, 0u);
  EXPECT_GT(answered_at, expected_at) << "what is sent at once must be expected";
}

TEST_F(GatheredRound, NumberOfRequestsIsLimited) {
  std::vector<uint64_t> sessions;
  for (int i = 0; i < 8; ++i) sessions.push_back(core_.Register("e" + std::to_string(i)));
  Begin(Large(8));
  for (const uint64_t session : sessions) Hold(session);
  for (size_t arrived = 0; arrived < 8; ++arrived) {
    std::vector<std::pair<uint64_t, rpc::Gather>> asked;
    for (const uint64_t session : sessions) {
      for (const rpc::Gather& gather : AskedOf(session)) asked.emplace_back(session, gather);
    }
    ASSERT_EQ(static_cast<int64_t>(asked.size()),
              std::min<int64_t>(kGathersAtOnce, 8 - static_cast<int64_t>(arrived)));
    Arrive(asked.back().first, asked.back().second);
  }
  EXPECT_EQ(core_.EffectsOf<Merge>().size(), 1u);
}

// A single executor holds the results of both workers in each round. Whether its sum is opened is
// random.
class OpenedSums : public GatheredRound {
 protected:
  void SetUp() override {
    e1_ = core_.Register("e1");
    definition_.verify_fraction = 0.5;
    definition_.epochs = 40;
  }
  void HoldRound() { round_ = {Hold(e1_), Hold(e1_)}; }
  // Computes the units that this executor alone has to confirm.
  void ConfirmAlone() {
    while (phase() == Phase::kTraining) {
      const auto leases = core_.LeaseUnits(e1_);
      ASSERT_EQ(leases.size(), 1u);
      DL_ASSERT_OK(core_.Announce(e1_, leases[0], BitsOf(leases[0].unit.index)));
    }
  }
  void Confirm(uint64_t other) {  // every unit of the round, even if not requested
    for (const rpc::Lease& lease : round_)
      DL_ASSERT_OK(core_.Announce(other, lease, BitsOf(lease.unit.index)));
    ASSERT_EQ(phase(), Phase::kGathering);
  }
  // Delivers the sum, and its contributions if it is opened. Returns whether it was opened.
  bool Bring() {
    Arrive(e1_, AskedOf(e1_).at(0));
    bool opened = false;
    for (auto asked = AskedOf(e1_); phase() == Phase::kGathering; asked = AskedOf(e1_)) {
      opened = true;
      EXPECT_FALSE(asked.at(0).sum);
      Arrive(e1_, asked.at(0));
    }
    return opened;
  }

  JobDefinition definition_ = Large(2);
  uint64_t e1_ = 0;
  std::vector<rpc::Lease> round_;
};

TEST_F(OpenedSums, ShareEqualsVerifyFraction) {
  Begin(definition_);
  int opened = 0;
  for (int64_t round = 1; round <= 40; ++round) {
    HoldRound();
    ConfirmAlone();
    ASSERT_EQ(phase(), Phase::kGathering) << round;
    opened += Bring() ? 1 : 0;
    core_.RoundIsMerged(id_, round);
    if (core_.job(id_).saving.round >= 0) core_.CheckpointIsWritten(id_, round);
  }
  EXPECT_GT(opened, 8);
  EXPECT_LT(opened, 32);
}

TEST_F(OpenedSums, SumsOfDecidersAreNotOpened) {
  definition_.verify_executors = {"e1"};
  Begin(definition_);
  for (int64_t round = 1; round <= 20; ++round) {
    HoldRound();
    ASSERT_EQ(phase(), Phase::kGathering) << round;
    EXPECT_FALSE(Bring());
    core_.RoundIsMerged(id_, round);
  }
  EXPECT_TRUE(core_.job(id_).attestations.unverified_since.empty());
}

TEST_F(OpenedSums, FullVerificationUsesNoSums) {
  definition_.verify_fraction = 1;
  Begin(definition_);
  HoldRound();
  ConfirmAlone();
  EXPECT_EQ(AskedOf(e1_).size(), 2u);
}

TEST_F(OpenedSums, UnopenedSumRestsOnSender) {
  const uint64_t e2 = core_.Register("e2");
  Begin(definition_);
  for (int64_t round = 1; round <= 40; ++round) {
    HoldRound();
    Confirm(e2);
    const bool opened = Bring();
    core_.RoundIsMerged(id_, round);
    EXPECT_EQ(core_.job(id_).attestations.unverified_since.contains("e1"), !opened) << round;
    EXPECT_FALSE(core_.job(id_).attestations.unverified_since.contains("e2"));
    if (!opened) return;
  }
  FAIL() << "every sum was opened";
}

TEST_F(OpenedSums, WrongSumQuarantinesSenderAndRollsBack) {
  const uint64_t e2 = core_.Register("e2");
  Begin(definition_);
  bool before = false;  // whether a round with an unopened sum is committed
  for (int64_t round = 1; round <= 40; ++round) {
    HoldRound();
    Confirm(e2);
    const rpc::Gather sum = AskedOf(e1_).at(0);
    ASSERT_TRUE(sum.sum);
    Arrive(e1_, sum);
    if (phase() == Phase::kMerging) {
      core_.RoundIsMerged(id_, round);
      before = true;
      continue;
    }
    if (!before) {
      for (auto asked = AskedOf(e1_); phase() == Phase::kGathering; asked = AskedOf(e1_))
        Arrive(e1_, asked.at(0));
      core_.RoundIsMerged(id_, round);
      continue;
    }
    const auto parts = AskedOf(e1_);
    ASSERT_FALSE(parts.empty());
    core_.Do(SumContradicted{id_, round, sum.number, e1_});
    EXPECT_TRUE(core_.core().quarantined().contains("e1"));
    EXPECT_LT(core_.job(id_).log.committed, round - 1) << "it goes back";
    EXPECT_NE(phase(), Phase::kGathering);
    return;
  }
  FAIL() << "no sum was opened behind one that was not";
}

// The units were confirmed, but their sum was not opened. It is discarded after the quarantine,
// also during the merge, and the sender gets no more requests.
TEST_F(OpenedSums, UnopenedSumIsDroppedWithSender) {
  definition_.verify_fraction = 1e-9;  // so small that no unit needs a second result
  const uint64_t e2 = core_.Register("e2"), e3 = core_.Register("e3");
  Begin(definition_);
  HoldRound();
  Confirm(e2);
  EXPECT_FALSE(Bring());
  ASSERT_EQ(phase(), Phase::kMerging);
  const std::string other = *core_.Submit(Large(1), "r2");
  core_.StateIsPrepared(other);
  const rpc::Lease lease = core_.LeaseUnits(e1_).at(0);
  ASSERT_EQ(lease.unit.job, other);
  DL_ASSERT_OK(core_.Announce(e1_, lease, 1));
  DL_ASSERT_OK(core_.Announce(e2, lease, 2));
  DL_ASSERT_OK(core_.Announce(e3, lease, 2));
  ASSERT_TRUE(core_.core().quarantined().contains("e1"));
  EXPECT_EQ(phase(), Phase::kTraining);
  core_.RoundIsMerged(id_, 1);
  EXPECT_EQ(core_.job(id_).log.committed, 0) << "what was merged holds the sum";
  for (const rpc::Lease& again : {round_[0], round_[1]})
    DL_ASSERT_OK(core_.Announce(e2, again, BitsOf(again.unit.index)));
  EXPECT_TRUE(AskedOf(e1_).empty());
  DL_EXPECT_OK(core_.core().CheckInvariants());
}

TEST_F(GatheredRound, LostContributionsAreRecomputedAndGathered) {
  const uint64_t e1 = core_.Register("e1"), e2 = core_.Register("e2");
  Begin(Large(2));
  Hold(e1);
  Hold(e2);
  const rpc::Gather of_e2 = AskedOf(e2).at(0);
  Arrive(e2, of_e2);
  core_.Register("e1", {.incarnation = 2});
  EXPECT_EQ(phase(), Phase::kTraining);
  EXPECT_EQ(core_.EffectsOf<DropGather>().size(), 1u);
  Hold(e2);
  EXPECT_EQ(phase(), Phase::kGathering);
  const auto again = AskedOf(e2);
  ASSERT_EQ(again.size(), 1u) << "both are with e2";
  EXPECT_TRUE(again[0].sum);
  EXPECT_EQ(again[0].inputs.size(), 2u);
  Arrive(e2, of_e2);  // a request from before
  EXPECT_TRUE(core_.EffectsOf<Merge>().empty());
  Arrive(e2, again[0]);
  EXPECT_EQ(core_.EffectsOf<Merge>().size(), 1u);
}

// An executor may still be answering a request of the previous master.
TEST_F(GatheredRound, GatherNumbersDifferAfterRestart) {
  std::set<uint64_t> numbers;
  uint64_t incarnation = 0;
  for (int life = 0; life < 3; ++life) {
    held_.clear();
    const uint64_t e1 = core_.Register("e1", {.incarnation = ++incarnation});
    if (life == 0) {
      Begin(Large(2));
    } else {
      core_.StateIsPrepared(id_);
    }
    Hold(e1);
    Hold(e1);
    const auto asked = AskedOf(e1);
    ASSERT_EQ(asked.size(), 1u) << life;
    EXPECT_TRUE(numbers.insert(asked[0].number).second);
    core_.Restart();
  }
}

TEST_F(GatheredRound, RepeatedMergeKeepsAddedContributions) {
  const uint64_t e1 = core_.Register("e1"), e2 = core_.Register("e2"), e3 = core_.Register("e3");
  Begin(Large(2));
  const rpc::Lease first = Hold(e1);
  Hold(e2);
  Arrive(e1, AskedOf(e1).at(0));
  Arrive(e2, AskedOf(e2).at(0));
  ASSERT_EQ(phase(), Phase::kMerging);
  DL_ASSERT_OK(core_.Announce(e3, first, 999));  // e3 announces another result
  ASSERT_EQ(phase(), Phase::kTraining);
  const uint64_t e4 = core_.Register("e4");
  const rpc::Lease third = core_.LeaseUnits(e4).at(0);
  DL_ASSERT_OK(core_.Announce(e4, third, BitsOf(first.unit.index)));
  EXPECT_EQ(phase(), Phase::kMerging) << "who was added was right";
  EXPECT_TRUE(core_.EffectsOf<OpenGather>().empty());
  EXPECT_TRUE(core_.core().quarantined().contains("e3"));
}

TEST_F(GatheredRound, SilentSenderIsReplaced) {
  const uint64_t e1 = core_.Register("e1"), e2 = core_.Register("e2");
  Begin(Large(2));
  Hold(e1);
  Hold(e2);
  Arrive(e2, AskedOf(e2).at(0));
  const Duration bound = core_.job(id_).definition.progress;
  for (Duration waited{}; waited < bound + std::chrono::seconds(1);
       waited += std::chrono::milliseconds(500)) {
    core_.Wait(std::chrono::milliseconds(500));
    (void)AskedOf(e1);  // e1 sends heartbeats and holds the requested results
    (void)AskedOf(e2);
  }
  EXPECT_EQ(phase(), Phase::kTraining);
  EXPECT_EQ(core_.job(id_).counts.stalls, 1);
}

TEST_F(GatheredRound, UnaskedExecutorIsNotStalled) {
  const uint64_t e1 = core_.Register("e1"), e2 = core_.Register("e2");
  constexpr int64_t kSteps = 240;
  Begin(Large(2));
  Hold(e1);
  const rpc::Lease slow = core_.LeaseUnits(e2).at(0);
  for (int64_t steps = 1; steps < kSteps; ++steps) {
    core_.Wait(std::chrono::milliseconds(500));
    (void)AskedOf(e1);
    (void)core_.Heartbeat(
        e2, {{.unit = slow.unit, .lease = slow.lease, .steps_done = steps, .steps_total = kSteps}});
  }
  EXPECT_EQ(core_.job(id_).counts.stalls, 0);
  EXPECT_EQ(core_.job(id_).counts.expired_leases, 0);
}

TEST_F(GatheredRound, RefusedContributionIsRecomputed) {
  const uint64_t e1 = core_.Register("e1"), e2 = core_.Register("e2");
  Begin(Large(2));
  Hold(e1);
  Hold(e2);
  const rpc::Gather gather = AskedOf(e1).at(0);
  core_.Do(GatherRefused{id_, 1, gather.number, e1, DataLoss({.message = "not announced"})});
  EXPECT_EQ(phase(), Phase::kTraining);
  const Unit& unit = core_.job(id_).units.at(gather.inputs[0].index);
  EXPECT_FALSE(unit.accepted);
  EXPECT_EQ(unit.errors.size(), 1u);
  EXPECT_FALSE(unit.errors[0].of_unit);
}

TEST_F(GatheredRound, OnlyExecutorConfirmsHeldResult) {
  const uint64_t e1 = core_.Register("e1");
  JobDefinition definition = Large(2);
  definition.verify_fraction = 1;
  Begin(definition);
  for (int i = 0; i < 4; ++i) Hold(e1);
  EXPECT_EQ(phase(), Phase::kGathering);
}

TEST(Staging, LimitDecidesIfRoundIsGathered) {
  JobDefinition definition = Large(4);
  definition.contribution_bytes = 100;
  definition.worker_bytes = 10;
  EXPECT_FALSE(definition.IsGathered(400));
  EXPECT_TRUE(definition.IsGathered(399));
  EXPECT_EQ(definition.MasterBytes(400), (4 + 5) * 100 + 2 * 4 * 10);
  definition.plan.workers = 1000;
  EXPECT_EQ(definition.MasterBytes(400), (2 * kGathersAtOnce + 4 + 5) * 100 + 2 * 1000 * 10);
  definition.plan.workers = 1;
  EXPECT_FALSE(definition.IsGathered(0)) << "there is nothing to add";
}

}  // namespace
}  // namespace dl::master
