// A thousand unauthenticated connections occupy the master while a job runs.
#include "tests/network/crowd.h"

#include "absl/strings/str_cat.h"
#include "launch/pause.h"
#include "tests/network/cluster_of_machines.h"
#include "tests/support/process_figures.h"

namespace dl::test {
namespace {

constexpr int kCrowd = 1000;
constexpr int64_t kMayGrow = 64 << 20;

class CrowdTest : public ClusterOfMachines {};

// The memory of the master stays the same, the job ends correctly, and authorized clients are
// served.
TEST_F(CrowdTest, CrowdDelaysNoTraining) {
  MakeJob(20);
  Start(2);
  ExpectRightEnd(Submit());  // a first job, so that its memory is not measured
  const pid_t master = cluster().MasterPid();
  const int64_t before = ProcessStatus(master, "VmRSS");
  const Machine& elsewhere = network().Add("elsewhere");
  {
    const Crowd crowd(elsewhere, node(0).v4(), cluster().port(), kCrowd);
    while (crowd.opened() < kCrowd) launch::Pause(std::chrono::milliseconds(20));
    const std::string id = Submit();
    AddExecutor();
    ExpectRightEnd(id);
    EXPECT_LT(ProcessStatus(master, "VmHWM") - before, kMayGrow);
    // Only connections that sent a whole handshake record have a thread.
    EXPECT_LT(ProcessStatus(master, "Threads"), kCrowd / 2);
  }
  EXPECT_EQ(cluster().MasterLog().find("is gone"), std::string::npos) << cluster().MasterLog();
}

}  // namespace
}  // namespace dl::test
