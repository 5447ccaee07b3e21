// Retries of executors, as users see them.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/cluster_under_test.h"

namespace dl::test {
namespace {

TEST(RetriesTest, LostMasterIsCountedInStatus) {
  const TempFolder folder;
  StandingCluster cluster(folder);
  cluster.StartMaster();
  cluster.StartExecutor();
  cluster.WaitForExecutor(0);
  const auto sessions = [](const Json& of) { return of.at("retries").at("sessions").get<int>(); };
  for (int last = 0, start = 0; start < 2; ++start) {
    cluster.KillMaster();
    cluster.StartMaster();
    cluster.WaitForExecutor(0);
    const Json shown = cluster.Cluster();
    ASSERT_EQ(shown.at("executors").size(), 1u);
    EXPECT_GT(sessions(shown.at("executors")[0]), last) << "told to each master from the first on";
    EXPECT_EQ(shown.at("retries"), shown.at("executors")[0].at("retries"));
    last = sessions(shown);
  }
  const Finished told = DlSubmit({"status", "--master", cluster.url()});
  EXPECT_EQ(told.exit_code, 0) << told.errors;
  EXPECT_THAT(told.text, testing::ContainsRegex("TRIED AGAIN FOR\n[^ ]+ .*sessions \\([0-9]+\\)"));
}

}  // namespace
}  // namespace dl::test
