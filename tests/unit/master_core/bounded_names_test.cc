// Records that the master keeps by names of executors have a bound, however many names come.
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "master/core/fleet/fleet.h"
#include "master/core/job/unit.h"

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

}  // namespace
}  // namespace dl::master
