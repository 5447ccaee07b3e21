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
  RunningUnits units;
  EXPECT_EQ(units.Line(), "");
  units.Set({unit});
  EXPECT_EQ(units.Line(), ExecutorStatusLine({unit}));
}

}  // namespace
}  // namespace dl::launch
