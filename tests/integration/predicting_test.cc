// What a trained job says of examples and texts, asked as users ask: in the folder of a run that
// ended, and at a standing master.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/files.h"
#include "gtest/gtest.h"
#include "job/job_builder.h"
#include "nn/conf/sequential.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

std::vector<std::string> Lines(const std::string& text) {
  return absl::StrSplit(text, '\n', absl::SkipEmpty());
}

TEST(Predicting, IsWhatEvaluationsCount) {
  const TempFolder folder;
  const std::string data = folder / "data";
  const std::string job = WriteJob(folder, "job", MakeSample(folder, {}));
  const Finished run = DlSubmit({"run", job, "--master", "local[2]", "--data-dir", data, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const Finished evaluated = DlSubmit({"evaluate", "mlp-1", "--data-dir", data, "--json"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.errors;
  // The test set of the job's own document: images of two files, normalized as the training set.
  const std::string answers = folder / "answers.csv";
  const Finished predicted =
      DlSubmit({"predict", "mlp-1", "--data-dir", data, "--data", job, "-o", answers, "--json"});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.errors;
  EXPECT_EQ(predicted.result()["accuracy"], evaluated.result()["accuracy"]);
  const std::vector<std::string> lines = Lines(ReadFile(answers, 1 << 20).value_or(""));
  ASSERT_EQ(lines.size(), 91u);
  int64_t right = 0;
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> fields = absl::StrSplit(lines[i], ',');
    ASSERT_EQ(fields.size(), 4u) << lines[i];
    right += fields[1] == fields[2] ? 1 : 0;
  }
  EXPECT_NEAR(right / 90.0, evaluated.result()["accuracy"].get<double>(), 1e-12);
}

TEST(Predicting, EveryStepOfASequenceHasItsLine) {
  const TempFolder folder;
  const std::string data = folder / "data";
  const std::string job =
      WriteJob(folder, "job", MakeSample(folder, {.job = SampleJob::kTransformer}));
  const Finished run = DlSubmit({"run", job, "--master", "local[2]", "--data-dir", data, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const Finished evaluated = DlSubmit({"evaluate", "transformer-1", "--data-dir", data, "--json"});
  const std::string answers = folder / "answers.jsonl";
  const Finished predicted = DlSubmit(
      {"predict", "transformer-1", "--data-dir", data, "--data", job, "-o", answers, "--json"});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.errors;
  EXPECT_EQ(predicted.result()["accuracy"], evaluated.result()["accuracy"]);
  const std::vector<std::string> lines = Lines(ReadFile(answers, 1 << 22).value_or(""));
  ASSERT_EQ(lines.size(), 90u * 6);
  const Json last = Json::parse(lines.back());
  EXPECT_EQ(last["example"], 89);
  EXPECT_EQ(last["step"], 5);
}

// A table with a number and a class by its name for each row, of which some lack the class.
TEST(Predicting, SeveralOutputsAnswerEachForItself) {
  const TempFolder folder;
  const std::string data = folder / "data";
  std::string rows = "wing,bill,mass,kind\n";
  for (int i = 0; i < 90; ++i) {
    const int kind = i % 3;
    absl::StrAppend(&rows, kind + (i % 7) * 0.1, ",", 2 * kind - (i % 5) * 0.1, ",", 0.5 * kind,
                    ",",
                    i % 9 == 8  ? ""
                    : kind == 0 ? "auk"
                    : kind == 1 ? "gull"
                                : "owl",
                    "\n");
  }
  const auto source = [&](const std::string& path) {
    return data::Csv(path).TargetColumns({"mass", "kind"}).Categorical({"kind"});
  };
  const auto spec =
      job::Job("birds")
          .Model(nn::Sequential("birds")
                     .Seed(3)
                     .Updater(nn::Adam(0.02))
                     .Input(nn::FeedForward(2))
                     .Layer(nn::Dense(16).Activation(nn::Tanh()).Name("body"))
                     .Layer(nn::Output(1).Loss(nn::MeanSquaredError()).LossWeight(0.5).Name("mass"))
                     .Layer(nn::Output(3).Inputs({"body"}).Name("kind")))
          .Training(ParameterAveraging().Workers(3).BatchSizePerWorker(8).Epochs(20))
          .Train(source(folder.Write("birds.csv", rows)))
          .Test(source(folder.Write("test.csv", rows)))
          .Build();
  ASSERT_TRUE(spec.ok()) << DescribeError(spec.status());
  const std::string job = WriteJob(folder, "birds", *spec);
  const Finished run = DlSubmit({"run", job, "--master", "local[2]", "--data-dir", data, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;

  const Finished evaluated = DlSubmit({"evaluate", "birds-1", "--data-dir", data, "--json"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.errors;
  const Json report = evaluated.result();
  const Json &mass = report["by_output"][0], &kind = report["by_output"][1];
  EXPECT_EQ(mass["layer"], "mass");
  EXPECT_EQ(mass["examples"], 90);
  EXPECT_EQ(kind["examples"], 80);  // that have one
  EXPECT_EQ(kind["classes"][2]["name"], "owl");
  EXPECT_GT(kind["accuracy"].get<double>(), 0.9);
  EXPECT_EQ(report["accuracy"], kind["accuracy"]);
  EXPECT_NEAR(report["loss"].get<double>(),
              0.5 * mass["loss"].get<double>() + kind["loss"].get<double>(), 1e-6);
  EXPECT_EQ(report["loss"], run.result()["metrics"]["test"]["loss"]);

  const std::string answers = folder / "answers.csv";
  const Finished predicted =
      DlSubmit({"predict", "birds-1", "--data-dir", data, "--data", job, "-o", answers, "--json"});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.errors;
  EXPECT_EQ(predicted.result()["accuracy"], kind["accuracy"]);
  const std::vector<std::string> lines = Lines(ReadFile(answers, 1 << 20).value_or(""));
  ASSERT_EQ(lines.size(), 91u);
  EXPECT_EQ(lines[0], "example,mass.target,mass.output,kind.label,kind.class,kind.probability");
  EXPECT_TRUE(lines[3].starts_with("2,1,")) << lines[3];
  EXPECT_NE(lines[3].find(",owl,owl,"), std::string::npos) << lines[3];
  EXPECT_NE(lines[9].find(",,owl,"), std::string::npos) << lines[9];
  const Finished shown = DlSubmit({"evaluate", "birds-1", "--data-dir", data});
  EXPECT_NE(shown.text.find("output mass, whose loss counts 0.5"), std::string::npos) << shown.text;
}

// On whatever master it was trained: the same text.
TEST(Predicting, ATextIsTheSameWhereverItIsWritten) {
  const TempFolder folder;
  const std::string data = folder / "data";
  const std::string job = WriteJob(folder, "job", MakeSample(folder, {.job = SampleJob::kLstm}));
  const Finished run = DlSubmit({"run", job, "--master", "local[2]", "--data-dir", data, "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const std::vector<std::string> words = {"--prompt", "abc", "--length",      "100", "--top-k", "5",
                                          "--seed",   "3",   "--temperature", "0.8"};
  std::vector<std::string> line = {"generate", "lstm-1@last", "--data-dir", data, "--json"};
  line.insert(line.end(), words.begin(), words.end());
  const Finished written = DlSubmit(line), again = DlSubmit(line);
  ASSERT_EQ(written.exit_code, 0) << written.errors;
  const std::string text = written.result()["text"];
  EXPECT_EQ(text.size(), 100u);
  EXPECT_EQ(again.result()["text"], text);

  StandingCluster cluster(folder);
  cluster.StartMaster();
  cluster.StartExecutor();
  const std::string id = cluster.Submit(job);
  EXPECT_EQ(cluster.Wait(id).value("state_sha256", ""), run.result()["state_sha256"]);
  std::vector<std::string> more = {id};
  more.insert(more.end(), words.begin(), words.end());
  const Finished there = cluster.Ask("generate", more);
  ASSERT_EQ(there.exit_code, 0) << there.errors;
  EXPECT_EQ(there.result()["text"], text);
}

}  // namespace
}  // namespace dl::test
