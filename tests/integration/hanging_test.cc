// Executors that send heartbeats but make no progress.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

class HangingTest : public testing::Test {
 protected:
  HangingTest() {
    job::JobSpec spec = MakeSample(folder_, {.job = SampleJob::kMlpAverage, .epochs = 20});
    spec.training.verify_fraction = 0;
    spec.training.progress_seconds = 1;
    job_ = WriteJob(folder_, "job", spec);
    cluster_.StartMaster();
  }
  // Starts an executor in which `point` hangs once, the n-th time that it is reached.
  void StartHanging(const std::string& point, int n) {
    hanging_.push_back(folder_ / ("once-" + std::to_string(hanging_.size())));
    const std::string list = point + "=hang@" + std::to_string(n) + hanging_.back();
    const ScopedFailPoints armed(list.c_str());
    cluster_.StartExecutor();
  }
  // Submits the job when all executors have joined, so that none joins too late to hang.
  std::string Submit(size_t executors) {
    for (size_t i = 0; i < executors; ++i) cluster_.WaitForExecutor(i);
    return cluster_.Submit(job_);
  }
  bool AllHang() const {
    return std::ranges::all_of(hanging_,
                               [](const auto& file) { return std::filesystem::exists(file); });
  }
  // Expects that the job ends with the hash of the reference.
  void ExpectTheResult(const std::string& id) {
    const Json result = cluster_.Wait(id);
    EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result.dump() << cluster_.MasterLog();
    EXPECT_EQ(result.value("state_sha256", ""), RunReference(job_).value("state_sha256", "-"));
  }

  const TempFolder folder_;
  StandingCluster cluster_{folder_};
  std::string job_;
  std::vector<std::string> hanging_;  // files; each exists once its executor hangs
};

TEST_F(HangingTest, TwoHangingUnitsDoNotDelayOthers) {
  for (int i = 0; i < 2; ++i) StartHanging("executor.compute", 3);
  for (int i = 0; i < 2; ++i) cluster_.StartExecutor();
  const std::string id = Submit(4);
  // If units take long, as on a slow machine, a second lease may come before a stall is noticed.
  cluster_.WaitUntil(id, [&](const Json& job) {
    return AllHang() && job.value("stalls", 0) + job.value("second_leases", 0) >= 2;
  });
  ExpectTheResult(id);
}

TEST_F(HangingTest, MasterRestartsOnlyExecutor) {
  StartHanging("executor.compute", 5);
  ExpectTheResult(Submit(1));
  EXPECT_THAT(cluster_.ExecutorLog(), testing::HasSubstr("restarting, as the master asks"));
}

TEST_F(HangingTest, HangingAnnouncementIsReplaced) {
  StartHanging("executor.announce", 4);
  cluster_.StartExecutor();
  ExpectTheResult(Submit(2));
  EXPECT_TRUE(AllHang());
}

// The network drops large messages: announcements arrive, contributions do not.
TEST_F(HangingTest, SwallowedUploadIsComputedElsewhere) {
  StartHanging("executor.contribute", 4);
  cluster_.StartExecutor();
  const std::string id = Submit(2);
  cluster_.WaitUntil(id, [](const Json& job) { return job.value("stalls", 0) >= 1; });
  ExpectTheResult(id);
}

}  // namespace
}  // namespace dl::test
