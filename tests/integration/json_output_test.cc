// The interface for scripts: the events and the result of `run --json`, with all their members.
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/job_builder.h"
#include "job/parameter_averaging.h"
#include "nn/conf/sequential.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

// These members are documented in docs/operations/commands.md and watch.md. A new member must be
// documented there.
const std::map<std::string, std::set<std::string>> kMembers = {
    {"state", {"type", "job", "seq", "unix_ms", "state", "reason", "message"}},
    {"round",
     {"type", "job", "seq", "unix_ms", "round", "rounds_total", "epoch", "examples",
      "examples_per_second", "train.loss", "train.accuracy"}},
    {"epoch",
     {"type", "job", "seq", "unix_ms", "epoch", "epochs_total", "round", "train.loss",
      "train.accuracy", "test.loss", "test.accuracy", "figures.kappa", "figures.macro_f1",
      "figures.macro_precision", "figures.macro_recall", "figures.mcc", "figures.roc_auc",
      "figures.average_precision"}},
    {"checkpoint", {"type", "job", "seq", "unix_ms", "checkpoint", "round", "state_sha256"}},
    {"result",
     {"type",
      "job",
      "state",
      "reason",
      "exit_code",
      "attempt",
      "epochs",
      "rounds",
      "examples",
      "state_sha256",
      "metrics.train.loss",
      "metrics.train.accuracy",
      "metrics.test.loss",
      "metrics.test.accuracy",
      "wall_seconds",
      "traffic.fetched_bytes",
      "traffic.contributed_bytes",
      "traffic.bytes_per_round",
      "examples_per_second",
      "checkpoint",
      "kernel_contract"}}};

// Returns the paths to all values that are not objects.
std::set<std::string> Members(const Json& json, const std::string& prefix = "") {
  std::set<std::string> members;
  for (const auto& [key, value] : json.items()) {
    if (value.is_object()) {
      members.merge(Members(value, prefix + key + "."));
    } else {
      members.insert(prefix + key);
    }
  }
  return members;
}

std::vector<Json> OfType(const Finished& run, const std::string& type) {
  std::vector<Json> events;
  for (const Json& line : run.lines)
    if (line.value("type", "") == type) events.push_back(line);
  return events;
}

Finished Train(const TempFolder& folder, const job::JobSpec& spec) {
  return DlSubmit({"run", "--master", "local[2]", "--data-dir", folder / "data", "--json",
                   WriteJob(folder, "job", spec)});
}

// 331 examples on 3 workers in minibatches of 8: 14 steps, two per round.
constexpr int64_t kExamples = 331, kRoundsEach = 7, kEpochsSaid = 2, kRoundsSaid = 14;

TEST(JsonOutput, ResultIsLastLine) {
  const TempFolder folder;
  const Finished run = Train(folder, MakeSample(folder, {.epochs = kEpochsSaid}));
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const Json result = run.result();
  ASSERT_EQ(Members(result), kMembers.at("result"));
  EXPECT_EQ(result["type"], "result");
  EXPECT_EQ(result["job"], "mlp-1");
  EXPECT_EQ(result["state"], "SUCCEEDED");
  EXPECT_EQ(result["reason"], "all_epochs_done");
  EXPECT_EQ(result["exit_code"], 0);
  EXPECT_EQ(result["attempt"], 1);
  EXPECT_EQ(result["epochs"], kEpochsSaid);
  EXPECT_EQ(result["rounds"], kRoundsSaid);
  EXPECT_EQ(result["examples"], kEpochsSaid * kExamples);
  EXPECT_THAT(result["state_sha256"].get<std::string>(), testing::MatchesRegex("[0-9a-f]{64}"));
  EXPECT_EQ(result["checkpoint"], absl::StrCat("mlp-1@", kRoundsSaid));
  EXPECT_THAT(result["kernel_contract"].get<std::string>(), testing::HasSubstr("isa="));
  for (const char* split : {"train", "test"}) {
    const Json& measured = result["metrics"][split];
    EXPECT_GT(measured["loss"], 0.0) << split;
    EXPECT_LT(measured["loss"], 1.38) << split << ": worse than a guess among 4 classes";
    EXPECT_GT(measured["accuracy"], 0.25) << split;
    EXPECT_LE(measured["accuracy"], 1.0) << split;
  }
  const double wall = result["wall_seconds"], speed = result["examples_per_second"];
  EXPECT_GT(wall, 0);
  EXPECT_NEAR(speed, kEpochsSaid * kExamples / wall, 1e-9 * speed);

  const Finished logs =
      DlSubmit({"logs", "--master", "local[2]", "--data-dir", folder / "data", "--json", "mlp-1"});
  ASSERT_EQ(logs.exit_code, 0) << logs.errors;
  EXPECT_EQ(logs.result(), result) << "the stored result is the reported result";
}

TEST(JsonOutput, EventsHaveTheirMembersAndAddUp) {
  const TempFolder folder;
  job::JobSpec spec = MakeSample(folder, {.epochs = kEpochsSaid});
  spec.training.lease_seconds = 60;  // so a short pause of the machine causes no warning
  const Finished run = Train(folder, spec);
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const Json result = run.result();
  ASSERT_GT(run.lines.size(), 1u);
  const int64_t first = run.lines.front().value("seq", int64_t{0});
  for (size_t i = 0; i + 1 < run.lines.size(); ++i) {
    const Json& event = run.lines[i];
    const std::string type = event.value("type", "");
    ASSERT_TRUE(kMembers.contains(type) && type != "result") << event;
    ASSERT_EQ(Members(event), kMembers.at(type)) << event;
    EXPECT_EQ(event["job"], "mlp-1");
    EXPECT_EQ(event["seq"], first + static_cast<int64_t>(i));
  }

  const std::vector<Json> states = OfType(run, "state"), rounds = OfType(run, "round"),
                          epochs = OfType(run, "epoch"), checkpoints = OfType(run, "checkpoint");
  ASSERT_GE(states.size(), 4u);
  EXPECT_EQ(states.front()["state"], "QUEUED");
  EXPECT_EQ(states.back()["state"], "SUCCEEDED");
  EXPECT_EQ(states.back()["reason"], result["reason"]);

  ASSERT_EQ(rounds.size(), size_t{kRoundsSaid});
  int64_t examples = 0;
  for (int64_t i = 0; i < kRoundsSaid; ++i) {
    EXPECT_EQ(rounds[i]["round"], i + 1);
    EXPECT_EQ(rounds[i]["rounds_total"], kRoundsSaid);
    EXPECT_EQ(rounds[i]["epoch"], i / kRoundsEach + 1);
    EXPECT_GT(rounds[i]["examples"], examples);
    examples = rounds[i]["examples"];
    EXPECT_GT(rounds[i]["examples_per_second"], 0.0);
  }
  EXPECT_EQ(rounds[kRoundsEach - 1]["examples"], kExamples);
  EXPECT_EQ(examples, result["examples"]);

  ASSERT_EQ(epochs.size(), size_t{kEpochsSaid});
  ASSERT_EQ(checkpoints.size(), size_t{kEpochsSaid});
  for (int64_t i = 0; i < kEpochsSaid; ++i) {
    EXPECT_EQ(epochs[i]["epoch"], i + 1);
    EXPECT_EQ(epochs[i]["epochs_total"], kEpochsSaid);
    EXPECT_EQ(epochs[i]["round"], (i + 1) * kRoundsEach);
    EXPECT_EQ(checkpoints[i]["round"], (i + 1) * kRoundsEach);
    EXPECT_EQ(checkpoints[i]["checkpoint"], absl::StrCat("mlp-1@", (i + 1) * kRoundsEach));
  }
  EXPECT_EQ((Json{{"train", epochs.back()["train"]}, {"test", epochs.back()["test"]}}),
            result["metrics"]);
  EXPECT_EQ(checkpoints.back()["state_sha256"], result["state_sha256"]);
}

// The learning rate is so high that the parameters overflow after two rounds.
TEST(JsonOutput, FailedJobHasMessagePlaceAndRemedy) {
  const TempFolder folder;
  std::string rows = "x,y,z\n";
  for (int i = 0; i < 96; ++i) absl::StrAppend(&rows, i % 7, ",", i * 5 % 11, ",", i % 3, "\n");
  const auto spec = job::Job("diverging")
                        .Model(nn::Sequential("linear")
                                   .Seed(1)
                                   .Updater(nn::Sgd(100'000))
                                   .Input(nn::FeedForward(2))
                                   .Layer(nn::Output(1).Loss(nn::MeanSquaredError())))
                        .Training(ParameterAveraging().Workers(2).BatchSizePerWorker(8).Epochs(9))
                        .Train(data::Csv(folder.Write("rows.csv", rows)).LabelsAreNumbers())
                        .Build();
  ASSERT_TRUE(spec.ok()) << DescribeError(spec.status());
  const Finished run = Train(folder, *spec);
  EXPECT_EQ(run.exit_code, 1) << run.errors;
  const Json result = run.result();
  const auto error = result.find("error");
  ASSERT_NE(error, result.end()) << result;
  ASSERT_EQ(Members(*error), (std::set<std::string>{"code", "message", "where", "remedy"}));
  EXPECT_EQ((*error)["code"], "invalid_argument");
  for (const char* member : {"message", "where"})
    EXPECT_NE((*error)[member].get<std::string>(), "") << member;
  EXPECT_THAT((*error)["remedy"].get<std::string>(), testing::HasSubstr("learning rate"));
  EXPECT_EQ(result["state"], "FAILED");
  EXPECT_EQ(result["reason"], "not_finite");
  EXPECT_EQ(result["exit_code"], 1);
  EXPECT_EQ(result["examples"], result["rounds"].get<int64_t>() * 96);
  const std::vector<Json> states = OfType(run, "state");
  ASSERT_FALSE(states.empty());
  EXPECT_EQ(states.back()["state"], "FAILED");
}

// A mistake that is found before a job exists is reported in the same line.
TEST(JsonOutput, WithoutAJobTheResultHasTheErrorOnly) {
  const TempFolder folder;
  const Finished run =
      DlSubmit({"run", "--data-dir", folder / "data", "--json", folder / "none.json"});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_EQ(Members(run.result()),
            (std::set<std::string>{"type", "job", "state", "exit_code", "error.code",
                                   "error.message", "error.where", "error.remedy"}));
  EXPECT_EQ(run.result()["state"], nullptr);
  EXPECT_EQ(run.result()["exit_code"], 4);
}

}  // namespace
}  // namespace dl::test
