// A learning rate that falls when the test metric does not improve. The result equals that of an
// equal table of rates to the bit, whichever process is killed, and also if rounds with earlier
// rates are computed again.
#include "gtest/gtest.h"
#include "nn/conf/schedule.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

constexpr int64_t kEpochs = 5, kRoundsOfEpoch = 7;

// No epoch after the first can improve by so much, so each epoch lowers the rate.
nn::Schedule PlateauAtEachEvaluation() {
  return nn::PlateauSchedule({.initial = 0.0625, .factor = 0.5, .patience = 1, .min_delta = 1e6});
}
nn::Schedule TheSameAsATable() {
  return nn::TableSchedule(0.0625, {2, 3, 4}, {0.03125, 0.015625, 0.0078125}).ByEpoch();
}

job::JobSpec SpecWith(const TempFolder& folder, const nn::Schedule& rate) {
  job::JobSpec spec = MakeSample(folder, {.job = SampleJob::kMlpAverage, .epochs = kEpochs});
  SetLearningRate(spec.model.updater, rate);
  return spec;
}

TEST(PlateauTest, EqualsTableWithSameRates) {
  const TempFolder folder;
  const std::string plateau =
      WriteJob(folder, "plateau", SpecWith(folder, PlateauAtEachEvaluation()));
  const std::string table = WriteJob(folder, "table", SpecWith(folder, TheSameAsATable()));
  const std::string fixed = WriteJob(folder, "fixed", SpecWith(folder, 0.0625));
  const auto run = [&](const std::string& job) {
    return RunJob("local[2]", job).value("state_sha256", "");
  };
  const std::string expected = run(table);
  EXPECT_EQ(run(plateau), expected);
  EXPECT_NE(run(fixed), expected);
}

TEST(PlateauTest, RestartFromScratchGivesSameRates) {
  const TempFolder folder;
  job::JobSpec spec = SpecWith(folder, PlateauAtEachEvaluation());
  spec.training.checkpoint = {.every_seconds = 0, .every_epoch = false};
  const std::string job = WriteJob(folder, "job", spec);
  const Json reference = RunReference(job);
  StandingCluster cluster(folder);
  cluster.StartMaster();
  {
    const ScopedFailPoints armed("executor.compute=stop@80");
    cluster.StartExecutor();
  }
  const std::string id = cluster.Submit(job);
  cluster.WaitForStop(0);
  const Json before = cluster.Job(id);
  EXPECT_GT(before.value("rounds", int64_t{0}), 3 * kRoundsOfEpoch) << before;
  cluster.KillExecutors();
  cluster.KillMaster();
  cluster.StartMaster();
  cluster.StartExecutor();
  const Json result = cluster.Wait(id);
  EXPECT_EQ(result.value("state", ""), "SUCCEEDED") << result.dump();
  EXPECT_EQ(result.value("state_sha256", ""), reference.value("state_sha256", "-"));
  // The log records the number of plateaus.
  int64_t last = 0;
  for (const Json& record : cluster.RoundLog(id)) {
    if (record.value("type", "") != "evaluation") continue;
    last = record.value("plateaus", int64_t{-1});
  }
  EXPECT_EQ(last, kEpochs - 1);
}

TEST(PlateauTest, RequiresEvaluationOfEachEpoch) {
  const TempFolder folder;
  job::JobSpec spec = SpecWith(folder, PlateauAtEachEvaluation());
  spec.training.evaluation.every_epoch = false;
  const Finished seldom = DlSubmit({"run", "--master", "local[1]", "--data-dir", folder / "data",
                                    WriteJob(folder, "seldom", spec)});
  EXPECT_NE(seldom.exit_code, 0);
  EXPECT_NE(seldom.errors.find("a plateau needs an evaluation after every epoch"),
            std::string::npos)
      << seldom.errors;
}

}  // namespace
}  // namespace dl::test
