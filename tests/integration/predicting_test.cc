// What a trained job says of examples and texts, asked as users ask: in the folder of a run that
// ended, and at a standing master.
#include "absl/strings/str_split.h"
#include "base/files.h"
#include "gtest/gtest.h"
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
