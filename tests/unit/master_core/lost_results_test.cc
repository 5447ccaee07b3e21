// Results whose holder has announced them and cannot read their bytes any more.
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {
namespace {

using rpc::Verdict;

JobDefinition TwoWorkers() {
  JobDefinition definition = CoreHarness::Definition();
  definition.plan = {.examples = 4, .workers = 2, .batch_size = 2, .averaging_frequency = 1};
  definition.example_hash_sum = 4;
  return definition;
}

TEST(LostResult, IsRecomputedAtOnceInGatheredRound) {
  CoreHarness core({.staging_bytes = 0});
  const uint64_t e1 = core.Register("e1"), e2 = core.Register("e2");
  const std::string id = core.RunningJob(TwoWorkers());
  const rpc::Lease lost = core.LeaseUnits(e1).at(0), other = core.LeaseUnits(e2).at(0);
  ASSERT_EQ(core.Announce(e1, lost, 7)->verdict, Verdict::kHold);
  ASSERT_EQ(core.Announce(e2, other, 8)->verdict, Verdict::kHold);
  ASSERT_EQ(core.job(id).phase, Phase::kGathering);
  DL_ASSERT_OK(core.ReportFailure(e2, lost, "data_loss"));
  EXPECT_EQ(core.job(id).phase, Phase::kGathering) << "e2 does not hold it";
  DL_ASSERT_OK(core.ReportFailure(e1, lost, "data_loss"));
  EXPECT_EQ(core.job(id).phase, Phase::kTraining);
  const Unit& unit = core.job(id).units.at(lost.unit.index);
  EXPECT_FALSE(unit.accepted);
  EXPECT_EQ(unit.errors.size(), 1u);
  EXPECT_TRUE(core.job(id).units.at(other.unit.index).accepted);
}

TEST(LostResult, IsRecomputedAtOnceBeforeItArrives) {
  CoreHarness core;
  const uint64_t e1 = core.Register("e1");
  const std::string id = core.RunningJob(TwoWorkers());
  const rpc::Lease lost = core.LeaseUnits(e1).at(0);
  ASSERT_EQ(core.Announce(e1, lost, 7)->verdict, Verdict::kSend);
  rpc::Lease older = lost;
  --older.lease;
  DL_ASSERT_OK(core.ReportFailure(e1, older, "data_loss"));
  EXPECT_TRUE(core.job(id).units.at(lost.unit.index).accepted) << "another computation";
  DL_ASSERT_OK(core.ReportFailure(e1, lost, "data_loss"));
  EXPECT_FALSE(core.job(id).units.at(lost.unit.index).accepted);
  EXPECT_EQ(core.EffectsOf<DropContribution>().size(), 1u);
}

}  // namespace
}  // namespace dl::master
