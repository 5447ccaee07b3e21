// The lines about daemons that a service manager shows.
#include "launch/daemons/daemon_status.h"

#include "base/json.h"
#include "gtest/gtest.h"

namespace dl::launch {
namespace {

Json JobNamed(const std::string& job, const std::string& state) {
  return {{"job", job}, {"state", state}, {"rounds", 12}, {"rounds_total", 47}};
}

TEST(DaemonStatus, MasterNamesJobsInProgress) {
  const Json cluster = {{"executors", Json::array({Json::object(), Json::object()})},
                        {"jobs_queued", 4}};
  EXPECT_EQ(MasterStatusLine(cluster,
                             Json::array({JobNamed("a-1", "SUCCEEDED"), JobNamed("b-2", "RUNNING"),
                                          JobNamed("c-3", "WAITING")})),
            "2 executors; b-2 round 12/47, c-3 round 12/47; 4 jobs wait");
  Json many = Json::array();
  for (int i = 1; i <= 5; ++i) many.push_back(JobNamed("j-" + std::to_string(i), "RUNNING"));
  EXPECT_EQ(MasterStatusLine({{"executors", Json::array({Json::object()})}}, many),
            "1 executor; j-1 round 12/47, j-2 round 12/47, j-3 round 12/47, 2 more");
  EXPECT_EQ(MasterStatusLine(Json::object(), Json::array()), "0 executors; no job runs");
}

TEST(DaemonStatus, ExecutorNamesItsUnits) {
  EXPECT_EQ(ExecutorStatusLine({}), "waits for work");
  const rpc::UnitProgress unit = {
      .unit = {.job = "a-1", .kind = UnitKind::kTrain, .round = 5, .index = 2},
      .steps_done = 3,
      .steps_total = 8};
  EXPECT_EQ(ExecutorStatusLine({unit}), "a-1 round 5 worker 2 step 3/8");
  rpc::UnitProgress evaluation = unit;
  evaluation.unit.kind = UnitKind::kEvaluate;
  evaluation.steps_total = 0;
  EXPECT_EQ(ExecutorStatusLine({evaluation, unit, unit}), "a-1 round 5 evaluation 2, 2 more units");
}

rpc::UnitProgress UnitOfWorker(int32_t worker, int64_t steps_done = 0) {
  return {.unit = {.job = "a-1", .kind = UnitKind::kTrain, .round = 5, .index = worker},
          .steps_done = steps_done,
          .steps_total = steps_done > 0 ? 8 : 0};
}

TEST(RunningUnits, UnitThatBeginsStandsBesideUnitsOfOtherSlots) {
  RunningUnits units;
  EXPECT_EQ(units.Line(), "");
  units.Update({});
  EXPECT_EQ(units.Line(), "waits for work");
  units.Begin(0, UnitOfWorker(1).unit);
  units.Begin(1, UnitOfWorker(2).unit);
  EXPECT_EQ(units.Line(), "a-1 round 5 worker 1, 1 more unit");
  units.Update({UnitOfWorker(2, 4), UnitOfWorker(1, 3)});
  EXPECT_EQ(units.Line(), "a-1 round 5 worker 1 step 3/8, 1 more unit");
  units.End(0);
  EXPECT_EQ(units.Line(), "a-1 round 5 worker 2 step 4/8");
  units.Begin(0, UnitOfWorker(3).unit);
  EXPECT_EQ(units.Line(), "a-1 round 5 worker 3, 1 more unit");
}

class ClockOfTest final : public Clock {
 public:
  Instant Now() const override { return now; }
  int64_t WallUnixMs() const override { return 0; }
  Instant now;
};

TEST(RunningUnits, LastUnitCountsForTenSecondsAfterItsEnd) {
  ClockOfTest clock;
  RunningUnits units(clock);
  units.Begin(0, UnitOfWorker(1).unit);
  units.Begin(1, UnitOfWorker(2).unit);
  units.End(0);
  units.End(1);
  units.Update({});
  EXPECT_EQ(units.Line(), "a-1 round 5 worker 2");
  clock.now = clock.now + std::chrono::seconds(10);
  EXPECT_EQ(units.Line(), "waits for work");
}

}  // namespace
}  // namespace dl::launch
