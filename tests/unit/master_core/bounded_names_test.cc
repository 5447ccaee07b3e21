// Records that the master keeps by names of executors have a bound, however many names come.
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "master/core/fleet/fleet.h"
#include "master/core/job/unit.h"
#include "tests/unit/master_core/rounds_of_one.h"

namespace dl::master {
namespace {

TEST(BoundedNames, StandingsOfAbsentExecutorsAreForgottenAfterTheirLimit) {
  Life life;
  CurrentStep step;
  Output output;
  Instant now;
  Fleet fleet(life, step, {}, {});
  const auto come_and_go = [&](const std::string& name, bool goes) {
    now = now + std::chrono::milliseconds(1);
    step.Begin({.now = now, .came = now}, output);
    Session& session = fleet.Add({.executor = name, .contracts = {{"c1", "avx2"}}});
    fleet.StandingOf(name).times_aside += 1;
    if (goes) fleet.Remove(session);
    step.End();
  };
  come_and_go("stays", false);
  for (size_t i = 0; i < Fleet::kMostAbsentStandings + 10; ++i)
    come_and_go(absl::StrCat("e", i), true);
  EXPECT_EQ(fleet.standings(), Fleet::kMostAbsentStandings + 1);
  ASSERT_NE(fleet.FindStanding("stays"), nullptr) << "it is registered";
  EXPECT_EQ(fleet.FindStanding("e9"), nullptr);
  ASSERT_NE(fleet.FindStanding("e10"), nullptr);
  come_and_go("e10", true);
  EXPECT_EQ(fleet.FindStanding("e10")->times_aside, 2);
  EXPECT_EQ(fleet.standings(), Fleet::kMostAbsentStandings + 1);
}

TEST(BoundedNames, ErrorsOfAUnitAreForgottenAfterTheirLimit) {
  Unit unit({.id = {"job", UnitKind::kTrain, 1, 0}});
  for (size_t i = 0; i < Unit::kMostErrors + 1; ++i)
    unit.AddError({.executor = absl::StrCat("e", i), .signature = "s"});
  EXPECT_EQ(unit.errors.size(), Unit::kMostErrors);
  EXPECT_FALSE(unit.HasFailed("e0"));
  EXPECT_TRUE(unit.HasFailed("e1"));
  for (size_t i = 0; i < 2 * Unit::kMostFailed; ++i) unit.NoteUndelivered(absl::StrCat("u", i));
  EXPECT_TRUE(unit.HasFailed("u0"));
  EXPECT_FALSE(unit.HasFailed(absl::StrCat("u", 2 * Unit::kMostFailed - 1)));
}

TEST(BoundedNames, UnconfirmedResultsOfAbsentExecutorsAreForgottenAfterTheirLimit) {
  constexpr size_t kNames = Word::kMostAbsent + 10;
  Word word;
  for (size_t i = 0; i < kNames; ++i)
    word.NoteUnconfirmed(absl::StrCat("e", i), static_cast<int64_t>(i) + 1);
  word.ForgetAbsent([](const std::string&) { return true; });
  EXPECT_EQ(word.unverified_since.size(), kNames);
  word.unverified_changed = false;
  word.ForgetAbsent([](const std::string& executor) { return executor == "e0"; });
  EXPECT_EQ(word.unverified_since.size(), Word::kMostAbsent + 1);
  EXPECT_EQ(word.unverified_first.size(), Word::kMostAbsent + 1);
  EXPECT_TRUE(word.unverified_changed);
  EXPECT_TRUE(word.MayRestOn("e0", 1));
  EXPECT_FALSE(word.MayRestOn("e9", 10));
  EXPECT_TRUE(word.MayRestOn("e10", 11));
}

TEST(BoundedNames, SourceOfAJobRestsOnABoundedNumberOfExecutors) {
  Word word;
  for (size_t i = 0; i < Word::kMostAbsent + 10; ++i) word.NoteSourceRestsOn(absl::StrCat("e", i));
  EXPECT_EQ(word.source_unverified.size(), Word::kMostAbsent);
  EXPECT_TRUE(word.source_unverified.contains("e0"));
}

class RoundsOfNewExecutors : public RoundsOfOne {};

// Each round is computed by an executor with a new name, as with machines that come and go.
TEST_F(RoundsOfNewExecutors, RecordOfUnconfirmedResultsHasABound) {
  constexpr size_t kNames = Word::kMostAbsent + 100;
  core_.checks_invariants = false;
  JobDefinition job = Long();
  job.epochs = kNames + 1;
  Begin(1, job);
  e_.resize(2);
  for (size_t i = 0; i < kNames; ++i) {
    e_[1] = core_.Register(absl::StrCat("pod-", i));
    Round(2, i + 1);
    core_.Post(rpc::GoodbyeRequest{.session = e_[1]});
  }
  EXPECT_EQ(this->job().log.committed, static_cast<int64_t>(kNames));
  EXPECT_LE(this->job().word.unverified_first.size(), Word::kMostAbsent + 1);
  core_.Restart();
  EXPECT_LE(this->job().word.unverified_first.size(), Word::kMostAbsent + 1);
}

}  // namespace
}  // namespace dl::master
