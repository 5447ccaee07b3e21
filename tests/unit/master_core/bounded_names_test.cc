// Records that the master keeps by executor name are bounded, however many names come.
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "master/core/fleet/fleet.h"
#include "master/core/job/unit.h"
#include "tests/unit/master_core/rounds_of_one.h"

namespace dl::master {
namespace {

TEST(BoundedNames, BackoffsOfAbsentExecutorsAreLimited) {
  MasterIncarnation life;
  CurrentStep step;
  Output output;
  Instant now;
  Fleet fleet(life, step, {}, {});
  const auto come_and_go = [&](const std::string& name, bool goes) {
    now = now + std::chrono::milliseconds(1);
    step.Begin({.now = now, .came = now}, output);
    Session& session = fleet.Add({.executor = name, .contracts = {{"c1", "avx2"}}});
    fleet.BackoffOf(name).times_in_a_row += 1;
    if (goes) fleet.Remove(session);
    step.End();
  };
  come_and_go("stays", false);
  for (size_t i = 0; i < Fleet::kMaxAbsentBackoffs + 10; ++i)
    come_and_go(absl::StrCat("e", i), true);
  EXPECT_EQ(fleet.backoffs(), Fleet::kMaxAbsentBackoffs + 1);
  ASSERT_NE(fleet.FindBackoff("stays"), nullptr) << "it is registered";
  EXPECT_EQ(fleet.FindBackoff("e9"), nullptr);
  ASSERT_NE(fleet.FindBackoff("e10"), nullptr);
  come_and_go("e10", true);
  EXPECT_EQ(fleet.FindBackoff("e10")->times_in_a_row, 2);
  EXPECT_EQ(fleet.backoffs(), Fleet::kMaxAbsentBackoffs + 1);
}

TEST(BoundedNames, ErrorsOfUnitAreLimited) {
  Unit unit({.id = {"job", UnitKind::kTrain, 1, 0}});
  for (size_t i = 0; i < Unit::kMostErrors + 1; ++i)
    unit.AddError({.executor = absl::StrCat("e", i), .signature = "s"});
  EXPECT_EQ(unit.errors.size(), Unit::kMostErrors);
  EXPECT_FALSE(unit.HasFailed("e0"));
  EXPECT_TRUE(unit.HasFailed("e1"));
  for (size_t i = 0; i < 2 * Unit::kMostFailed; ++i) unit.RecordUndelivered(absl::StrCat("u", i));
  EXPECT_TRUE(unit.HasFailed("u0"));
  EXPECT_FALSE(unit.HasFailed(absl::StrCat("u", 2 * Unit::kMostFailed - 1)));
}

TEST(BoundedNames, AttestationsOfAbsentExecutorsAreLimited) {
  constexpr size_t kNames = Attestations::kMostAbsent + 10;
  Attestations attestations;
  for (size_t i = 0; i < kNames; ++i)
    attestations.RecordUnconfirmed(absl::StrCat("e", i), static_cast<int64_t>(i) + 1);
  attestations.ForgetAbsent([](const std::string&) { return true; });
  EXPECT_EQ(attestations.unverified_since.size(), kNames);
  attestations.unverified_changed = false;
  attestations.ForgetAbsent([](const std::string& executor) { return executor == "e0"; });
  EXPECT_EQ(attestations.unverified_since.size(), Attestations::kMostAbsent + 1);
  EXPECT_EQ(attestations.unverified_first.size(), Attestations::kMostAbsent + 1);
  EXPECT_TRUE(attestations.unverified_changed);
  EXPECT_TRUE(attestations.MayRestOn("e0", 1));
  EXPECT_FALSE(attestations.MayRestOn("e9", 10));
  EXPECT_TRUE(attestations.MayRestOn("e10", 11));
}

TEST(BoundedNames, ExecutorsOfSourceAreLimited) {
  Attestations attestations;
  for (size_t i = 0; i < Attestations::kMostAbsent + 10; ++i)
    attestations.RecordSourceRestsOn(absl::StrCat("e", i));
  EXPECT_EQ(attestations.source_unverified.size(), Attestations::kMostAbsent);
  EXPECT_TRUE(attestations.source_unverified.contains("e0"));
}

class RoundsOfNewExecutors : public RoundsOfOne {};

// Each round is computed by an executor with a new name, as if machines came and went.
TEST_F(RoundsOfNewExecutors, AttestationRecordHasLimitedSize) {
  constexpr size_t kNames = Attestations::kMostAbsent + 100;
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
  EXPECT_LE(this->job().attestations.unverified_first.size(), Attestations::kMostAbsent + 1);
  core_.Restart();
  EXPECT_LE(this->job().attestations.unverified_first.size(), Attestations::kMostAbsent + 1);
}

}  // namespace
}  // namespace dl::master
