// Retention on virtual time, also while the store cannot be read.
#include "gtest/gtest.h"
#include "tests/sim/sim_cluster.h"

namespace dl::sim {
namespace {

class RetentionTest : public testing::Test {
 protected:
  void Start(const master::RetentionPolicy& kept) {
    cluster_.Retain(kept);
    cluster_.master.Start();
    cluster_.AddExecutor({.unit_time = std::chrono::milliseconds(100)}).Start();
  }
  // Runs a job to its end. Returns its id.
  std::string RunJob() {
    const size_t before = cluster_.jobs.ids().size();
    cluster_.jobs.Submit(
        {.plan = {.examples = 8, .workers = 1, .batch_size = 2, .averaging_frequency = 1}});
    EXPECT_TRUE(cluster_.RunUntil(cluster_.time.now() + std::chrono::minutes(1), [&] {
      return cluster_.jobs.ids().size() > before && cluster_.jobs.AllDone();
    })) << cluster_.report.breach;
    return cluster_.jobs.ids().back();
  }
  bool IsDeleted(const std::string& job) { return cluster_.rules.ledger.job(job).deleted; }

  Cluster cluster_{1};
};

TEST_F(RetentionTest, JobIsDeletedAfterItsTime) {
  Start({.time = std::chrono::seconds(30)});
  const std::string job = RunJob();
  cluster_.RunFor(std::chrono::seconds(29));
  EXPECT_FALSE(IsDeleted(job));
  cluster_.RunFor(std::chrono::seconds(3));
  EXPECT_TRUE(IsDeleted(job));
  EXPECT_EQ(cluster_.report.breach, "");
}

TEST_F(RetentionTest, EndThatCouldNotBeReadIsReadAgain) {
  Start({.time = std::chrono::seconds(30)});
  const std::string job = RunJob();
  cluster_.disk.shortage = 1;
  cluster_.RunFor(std::chrono::seconds(1));
  cluster_.disk.shortage = 0;
  cluster_.RunFor(std::chrono::seconds(32));
  EXPECT_TRUE(IsDeleted(job));
}

TEST_F(RetentionTest, SurplusThatCouldNotBeReadIsReadAgain) {
  Start({.jobs = 1});
  const std::string first = RunJob(), second = RunJob();
  cluster_.disk.shortage = 1;
  cluster_.RunFor(std::chrono::seconds(1));
  EXPECT_FALSE(IsDeleted(first));
  cluster_.disk.shortage = 0;
  cluster_.RunFor(std::chrono::minutes(1));
  EXPECT_TRUE(IsDeleted(first));
  EXPECT_FALSE(IsDeleted(second));
}

}  // namespace
}  // namespace dl::sim
