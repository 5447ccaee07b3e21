#include "master/core/job/unit.h"

#include "gtest/gtest.h"

namespace dl::master {
namespace {

using Company = Unit::Company;
using Meaning = Unit::Meaning;

UnitResult Result(const std::string& executor, uint64_t hash, uint64_t lease = 1) {
  return {.session = executor.back() - uint64_t{'0'},
          .lease = lease,
          .executor = executor,
          .digest = hash};
}

Unit AcceptedFrom(const std::string& executor, uint64_t hash, bool staged) {
  Unit unit;
  unit.Record(Result(executor, hash));
  unit.accepted = true;
  unit.result = {
      .hash = hash, .digest = hash, .holder = Result(executor, hash).session, .staged = staged};
  return unit;
}

TEST(Unit, FirstResultIsAccepted) {
  Unit unit;
  EXPECT_TRUE(unit.WantsResult());
  EXPECT_EQ(unit.Record(Result("e1", 7)), Meaning::kFirst);
}

TEST(Unit, HolderAnnouncesAgainUntilBytesArrive) {
  Unit unit = AcceptedFrom("e1", 7, /*staged=*/false);
  EXPECT_EQ(unit.Record(Result("e1", 7)), Meaning::kRepeated);
  // Also under another lease: if it were refused, no executor would send the accepted result.
  EXPECT_EQ(unit.Record(Result("e1", 7, /*lease=*/2)), Meaning::kRepeated);
  EXPECT_EQ(unit.Record(Result("e2", 7)), Meaning::kSame);
}

TEST(Unit, RepeatedAnnouncementCountsOnce) {
  Unit unit({.verify = true});
  unit.Record(Result("e1", 7, 1));
  UnitResult again = Result("e1", 7, 1);
  again.session = 99;  // in a new session
  unit.Record(again);
  EXPECT_EQ(unit.results.size(), 1u);
  EXPECT_TRUE(unit.WantsResult());
}

TEST(Unit, ResultsOfOneExecutorAreBounded) {
  Unit unit({.verify = true});
  for (uint64_t lease = 1; lease <= 100; ++lease) {
    unit.Record(Result("e1", 7, lease));
    unit.accepted = true;
    unit.result = {.hash = 7, .digest = 7, .holder = 1, .lease = lease};
    EXPECT_EQ(unit.Record(Result("e1", 7, lease)), Meaning::kRepeated) << lease;
  }
  EXPECT_EQ(unit.results.size(), 2u);
  EXPECT_FALSE(unit.Confirmed());
  UnitResult alone = Result("e1", 7, /*lease=*/101);
  alone.alone = true;
  unit.Record(alone);
  EXPECT_TRUE(unit.Confirmed());
}

TEST(Unit, ExecutorHasOneVotePerHash) {
  Unit unit;
  unit.Record(Result("e1", 7, 1));
  unit.Record(Result("e1", 7, 2));
  EXPECT_EQ(unit.Record(Result("e2", 8, 3)), Meaning::kDifferent);
  uint64_t majority = 0;
  EXPECT_FALSE(unit.Majority(majority));
  unit.Record(Result("e3", 8, 4));
  ASSERT_TRUE(unit.Majority(majority));
  EXPECT_EQ(majority, 8u);
  EXPECT_EQ(unit.OddOnesOut(8).begin()->first, "e1");
}

TEST(Unit, FourDifferentVotesGiveNoMajority) {
  Unit unit;
  for (int i = 0; i < 4; ++i)
    unit.Record(Result("e" + std::to_string(i), static_cast<uint64_t>(i), 1));
  uint64_t majority = 0;
  EXPECT_FALSE(unit.Majority(majority));
  EXPECT_TRUE(unit.disputed());
  EXPECT_FALSE(unit.MayCompute("e1", Company::kAlone));
  EXPECT_TRUE(unit.MayCompute("e9", Company::kOthers));
}

TEST(Unit, IsSettledWhenStagedAndConfirmed) {
  Unit unit = AcceptedFrom("e1", 7, /*staged=*/false);
  EXPECT_FALSE(unit.Settled());
  unit.result.staged = true;
  EXPECT_TRUE(unit.Settled());
  unit.verify = true;
  EXPECT_FALSE(unit.Settled());
  unit.Record(Result("e2", 7));
  EXPECT_TRUE(unit.Settled());
  unit.Record(Result("e3", 8));
  EXPECT_FALSE(unit.Settled());
}

TEST(Unit, HolderDoesNotConfirmItselfIfOthersExist) {
  Unit unit = AcceptedFrom("e1", 7, /*staged=*/true);
  unit.verify = true;
  EXPECT_FALSE(unit.MayCompute("e1", Company::kOthers));
  EXPECT_TRUE(unit.MayCompute("e1", Company::kAlone));
  unit.result.staged = false;  // it is still sending its result
  EXPECT_FALSE(unit.MayCompute("e1", Company::kAlone));
}

// e1 may have given the committed result, and repeats it.
TEST(Unit, RepeatedPastResultConfirmsNothing) {
  Unit unit({.verify = true});
  unit.results = {{.executor = "commit", .digest = 7, .of_the_past = true}};
  UnitResult repeated = Result("e1", 7);
  repeated.may_repeat_the_past = true;
  unit.Record(repeated);
  EXPECT_FALSE(unit.Confirmed());
  UnitResult alone = Result("e1", 7, /*lease=*/2);
  alone.alone = alone.may_repeat_the_past = true;
  Unit computed_again = unit;
  computed_again.Record(alone);
  EXPECT_TRUE(computed_again.Confirmed()) << "no other executor is able";
  unit.Record(Result("e2", 7));
  EXPECT_TRUE(unit.Confirmed());
}

// Only one of e1 and e2 can have given the committed result, so the other one confirms it.
TEST(Unit, TwoExecutorsThatRepeatThePastConfirmIt) {
  Unit unit({.verify = true});
  unit.results = {{.executor = "commit", .digest = 7, .of_the_past = true}};
  for (const char* executor : {"e1", "e2"}) {
    EXPECT_FALSE(unit.Confirmed());
    UnitResult repeated = Result(executor, 7);
    repeated.may_repeat_the_past = true;
    unit.Record(repeated);
  }
  EXPECT_TRUE(unit.Confirmed());
  unit.results.push_back({.executor = "unknown", .digest = 7, .of_the_past = true});
  EXPECT_TRUE(unit.Confirmed()) << "two executors gave it in the past";
}

TEST(Unit, LostHolderWithdrawsUndeliveredResult) {
  Unit unit = AcceptedFrom("e1", 7, /*staged=*/false);
  unit.leases = {{.lease = 5, .session = 1, .executor = "e1"},
                 {.lease = 6, .session = 2, .executor = "e2"}};
  unit.ForgetSession(1, {1});
  EXPECT_FALSE(unit.accepted);
  EXPECT_TRUE(unit.WantsResult());
  EXPECT_TRUE(unit.HasLease(6, "e2"));
  EXPECT_FALSE(unit.HasLease(5, "e1"));
  EXPECT_EQ(unit.Record(Result("e2", 8)), Meaning::kDifferent) << "its word is still compared";

  Unit delivered = AcceptedFrom("e1", 7, /*staged=*/true);
  delivered.ForgetSession(1, {1});
  EXPECT_TRUE(delivered.accepted);
}

TEST(Unit, DistrustWithdrawsUnconfirmedResult) {
  Unit alone = AcceptedFrom("e1", 7, /*staged=*/true);
  EXPECT_TRUE(alone.Distrust("e1"));
  EXPECT_FALSE(alone.accepted);

  Unit confirmed = AcceptedFrom("e1", 7, /*staged=*/true);
  confirmed.Record(Result("e2", 7));
  EXPECT_FALSE(confirmed.Distrust("e1"));
  EXPECT_TRUE(confirmed.accepted);

  Unit undelivered = AcceptedFrom("e1", 7, /*staged=*/false);
  undelivered.Record(Result("e2", 7));
  EXPECT_TRUE(undelivered.Distrust("e1")) << "its sender gets no hearing any more";
}

TEST(Unit, LeaseExpiresAtItsTime) {
  Unit unit;
  unit.leases = {{.lease = 1, .executor = "e1", .expires = {10}},
                 {.lease = 2, .executor = "e1", .expires = {20}}};
  EXPECT_EQ(unit.ExpireLeases({10}), 1);
  EXPECT_TRUE(unit.HasLease(2, "e1"));
  EXPECT_FALSE(unit.HasLease(2, "e2"));
}

}  // namespace
}  // namespace dl::master
