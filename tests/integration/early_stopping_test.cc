// Early stopping end to end, for a metric that is minimized and one that is maximized. Training
// stops where the rule says, recomputed from the logged evaluations. The best checkpoint is kept.
// The cluster does not change the result.
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>

#include "gtest/gtest.h"
#include "nn/conf/schedule.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

constexpr int64_t kMostEpochs = 60;  // far more than the job needs
constexpr int64_t kRoundsOfEpoch = 7;
constexpr int64_t kPatientEpochs = 3;

struct Rule {
  std::string metric;
  bool maximize;
  double min_delta;
};

// Makes every fourth label of the test set wrong. The loss of the test set first falls with a
// better model, and then rises with a more confident one.
void SpoilLabels(const std::string& idx_file) {
  constexpr int kHeader = 8, kClasses = 4;
  std::fstream labels(idx_file, std::ios::binary | std::ios::in | std::ios::out);
  const std::string content{std::istreambuf_iterator<char>(labels), {}};
  for (size_t i = kHeader; i < content.size(); i += 4) {
    labels.seekp(static_cast<std::streamoff>(i));
    labels.put(static_cast<char>((content[i] + 1) % kClasses));
  }
}

// Returns the mean over the classes that occur as labels or predictions. `confusion` lists label,
// prediction and count of each entry.
double MacroF1(const Json& test) {
  const auto entries = test.at("confusion").get<std::vector<int64_t>>();
  std::map<int64_t, double> labelled, predicted, right;
  for (size_t i = 0; i < entries.size(); i += 3) {
    const double count = static_cast<double>(entries[i + 2]);
    labelled[entries[i]] += count;
    predicted[entries[i + 1]] += count;
    if (entries[i] == entries[i + 1]) right[entries[i]] += count;
  }
  double sum = 0;
  int64_t classes = 0;
  for (int64_t c = 0; c < test.value("classes", int64_t{0}); ++c) {
    if (labelled[c] + predicted[c] == 0) continue;
    ++classes;
    sum += 2 * right[c] / (labelled[c] + predicted[c]);
  }
  return sum / static_cast<double>(classes);
}

// Returns the value of a metric in an evaluation record, from its sums of integers
// (docs/formats.md).
double ValueOf(const Json& evaluation, const std::string& metric) {
  const Json& test = evaluation.at("test");
  if (metric == "accuracy")
    return test.value("correct", 0.0) / static_cast<double>(test.value("predictions", int64_t{0}));
  if (metric == "macro_f1") return MacroF1(test);
  // The format is "N" or "N/2^k", in units of 2^-24.
  const std::string sum = test.value("loss_sum", "nan");
  const size_t slash = sum.find("/2^");
  const int bits = slash == std::string::npos ? 0 : std::stoi(sum.substr(slash + 3));
  return std::ldexp(std::stod(sum), -24 - bits) /
         static_cast<double>(test.value("examples", int64_t{0}));
}

class EarlyStoppingTest : public testing::TestWithParam<Rule> {};

TEST_P(EarlyStoppingTest, StopsByPatienceAndKeepsBestCheckpoint) {
  const Rule& rule = GetParam();
  const TempFolder folder;
  job::JobSpec spec = MakeSample(folder, {.job = SampleJob::kMlpAverage, .epochs = kMostEpochs});
  spec.training.early_stopping = job::EarlyStoppingConf{
      .metric = rule.metric, .patience = kPatientEpochs, .min_delta = rule.min_delta};
  SetLearningRate(spec.model.updater, nn::CosineSchedule(0.0003));  // slow enough to need several
                                                                    // epochs
  spec.training.checkpoint.keep_last = 1;  // so the best checkpoint is kept only because it is the
                                           // best
  SpoilLabels(std::get<job::IdxSource>(*spec.data.test).labels->names[0]);
  const std::string job = WriteJob(folder, "job", spec);
  const std::string data = folder / "data";
  const Finished run = DlSubmit({"run", "--master", "local[1]", "--data-dir", data, "--json", job});
  ASSERT_EQ(run.exit_code, 0) << run.text << run.errors;
  const Json& result = run.result();
  EXPECT_EQ(result.value("reason", ""), "early_stopping");

  // Applies the rule by hand: it stops after `patience` epochs in a row without a gain of more than
  // min_delta.
  const Finished log = DlSubmit({"inspect", "--data-dir", data, "--log", "mlp-1"});
  ASSERT_EQ(log.exit_code, 0) << log.errors;
  double best = 0;
  int64_t best_round = -1, without_gain = 0, evaluations = 0;
  std::string best_state;
  std::map<int64_t, std::string> states;
  for (const Json& record : log.lines) {
    if (record.value("type", "") == "commit")
      states[record.value("round", int64_t{0})] = record.at("state").value("sha256", "");
    if (record.value("type", "") != "evaluation") continue;
    ASSERT_LT(without_gain, kPatientEpochs) << "it went on after it should have stopped";
    const int64_t round = record.value("round", int64_t{0});
    EXPECT_EQ(round, ++evaluations * kRoundsOfEpoch);
    const double value = ValueOf(record, rule.metric);
    const double gain = rule.maximize ? value - best : best - value;
    if (best_round < 0 || gain > rule.min_delta) {
      best = value;
      best_round = round;
      without_gain = 0;
    } else {
      ++without_gain;
    }
    EXPECT_EQ(record.value("best_round", int64_t{-1}), best_round);
    EXPECT_NEAR(record.value("best_value", -1.0), best, 1e-12);
    EXPECT_EQ(record.value("epochs_without_gain", int64_t{-1}), without_gain);
    EXPECT_EQ(record.value("stop", -1), without_gain >= kPatientEpochs ? 1 : 0);
  }
  EXPECT_EQ(without_gain, kPatientEpochs);
  EXPECT_GT(best_round, kRoundsOfEpoch) << "nothing ever got better: the test shows little";
  EXPECT_LT(evaluations, kMostEpochs) << "it did not stop";
  EXPECT_EQ(result.value("epochs", int64_t{0}), evaluations);
  EXPECT_EQ(result.value("rounds", int64_t{0}), evaluations * kRoundsOfEpoch);

  // The last and the best checkpoint are kept. The best has the state of its round.
  const Finished list = DlSubmit({"checkpoints", "--data-dir", data, "--json", "mlp-1"});
  std::vector<int64_t> kept;
  for (const Json& item : list.lines) {
    kept.push_back(item.value("round", int64_t{-1}));
    EXPECT_EQ(item.value("best", false), kept.back() == best_round);
  }
  EXPECT_EQ(kept, (std::vector<int64_t>{best_round, evaluations * kRoundsOfEpoch}));
  const Finished inspected =
      DlSubmit({"inspect", "--data-dir", data, "--json", "mlp-1@" + std::to_string(best_round)});
  EXPECT_EQ(inspected.result().value("state_sha256", "-"), states[best_round]);

  const Json elsewhere = RunJob("local-cluster[2]", job);
  EXPECT_EQ(elsewhere.value("state_sha256", ""), result.value("state_sha256", "-"));
  EXPECT_EQ(elsewhere.value("epochs", int64_t{0}), evaluations);
  ExpectAnotherSeedDiffers(job, result.value("state_sha256", "-"));
}

INSTANTIATE_TEST_SUITE_P(Metrics, EarlyStoppingTest,
                         testing::Values(Rule{"loss", false, 0}, Rule{"accuracy", true, 0.005},
                                         Rule{"macro_f1", true, 0.005}),
                         [](const auto& info) { return info.param.metric; });

}  // namespace
}  // namespace dl::test
