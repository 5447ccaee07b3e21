// Runs every command with --json, and compares each line that it prints with the schema that
// `dl-submit schema` publishes. The schemas are strict: an unknown key is an error.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/job_builder.h"
#include "job/parameter_averaging.h"
#include "nn/conf/sequential.h"
#include "tests/integration/bounds.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"
#include "tests/schemas/printed_documents.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::test {
namespace {

class SchemasTest : public testing::Test {
 protected:
  // Runs a command with --json in the data folder, and records what it prints.
  Finished Run(std::vector<std::string> words, const std::string& data) {
    words.insert(words.end(), {"--data-dir", data, "--json"});
    return RunAsItIs(std::move(words));
  }
  Finished Run(std::vector<std::string> words) { return Run(std::move(words), data_); }
  Finished RunAsItIs(const std::vector<std::string>& words) {
    Finished finished = DlSubmit(words);
    for (const Json& line : finished.lines) Record(words.front(), line);
    return finished;
  }
  void Record(const std::string& command, const Json& line) {
    lines_ << JsonText({{"command", command}, {"line", line}}) << "\n";
  }
  // Trains a job that SUCCEEDS. Returns its id.
  std::string Train(const std::string& file) {
    const Finished run = Run({"run", file, "--master", "local[2]"});
    EXPECT_EQ(run.exit_code, 0) << run.errors << run.text;
    return run.result().value("job", "");
  }
  std::string WriteSample(SampleJob job) {
    return WriteJob(folder_, ToString(job), MakeSample(folder_, {.job = job}));
  }
  // Writes a table with categories and a missing value, and returns its path.
  std::string WriteTable() {
    std::string rows = "wing,nest,kind\n";
    for (int i = 0; i < 60; ++i) {
      absl::StrAppend(&rows, i == 7 ? "" : absl::StrCat(20 + i % 7), ",",
                      i % 2 == 0 ? "tree" : "cliff", ",", i % 3 == 0 ? "auk" : "gull", "\n");
    }
    return folder_.Write("birds.csv", rows);
  }

  // Compares all recorded lines with their schemas. Among them must be the documents that
  // printed_documents.h names for this test.
  void TearDown() override {
    for (const Json& daemon :
         DlSubmit({"daemons", "--json", "--data-dir", folder_ / "plain"}).lines) {
      if (daemon.value("pid", 0) != 0) kill(daemon.value("pid", 0), SIGKILL);
    }
    unsetenv("DL_DATA_DIR");
    lines_.close();
    const std::string schemas = folder_.Write("schemas.json", DlSubmit({"schema"}).text);
    const auto check = Spawner::Real().Start(
        {.argv = {"/usr/bin/python3", "-B",
                  std::string(DL_SOURCE_ROOT) + "/tests/schemas/check_lines.py", schemas,
                  folder_ / "lines"},
         .out = ChildOutput::Pipe()});
    DL_ASSERT_OK(check);
    const std::string text = (*check)->ReadAll(kTimeout, 1 << 20).value_or("");
    const auto ended = (*check)->Wait(kTimeout);
    DL_ASSERT_OK(ended);
    EXPECT_EQ(ended->code, 0) << "a line does not fit its schema: see above";
    const std::vector<std::string> found = absl::StrSplit(text, '\n', absl::SkipEmpty());
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    EXPECT_THAT(found, testing::IsSupersetOf(PrintedDocuments().at(test)));
  }

  const TempFolder folder_;
  const std::string data_ = folder_ / "data";
  std::ofstream lines_{folder_ / "lines"};
};

TEST_F(SchemasTest, ClassificationFromRunToDelete) {
  const std::string file = WriteSample(SampleJob::kMlpAverage);
  const std::string job = Train(file);
  Run({"run", file, "--dry-run"});
  Run({"run", file, "--epochs", "3", "--set", "training.statistics.every_rounds=1"});
  for (const char* command : {"status", "logs", "history", "explain", "wait", "attach",
                              "checkpoints", "inspect", "evaluate"})
    EXPECT_EQ(Run({command, job}).exit_code, 0) << command;
  EXPECT_EQ(Run({"inspect", job, "--spec"}).exit_code, 0);
  EXPECT_EQ(Run({"inspect", job, "--log"}).exit_code, 0);
  EXPECT_EQ(Run({"status"}).exit_code, 0);
  EXPECT_EQ(Run({"list"}).exit_code, 0);
  EXPECT_EQ(Run({"history", job, "--series", "*", "--points", "4"}).exit_code, 0);
  EXPECT_EQ(Run({"history", "mlp-2", "--histograms", "*"}).exit_code, 0);
  EXPECT_EQ(Run({"compare", job, "mlp-2"}).exit_code, 0);
  EXPECT_EQ(Run({"trace", job, "-o", folder_ / "trace.json"}).exit_code, 0);
  EXPECT_EQ(Run({"tensorboard", job, "-o", folder_ / "runs"}).exit_code, 0);
  EXPECT_EQ(Run({"export", job, "-o", folder_ / "w.safetensors"}).exit_code, 0);
  EXPECT_EQ(Run({"export", job, "-o", folder_ / "w.onnx"}).exit_code, 0);
  EXPECT_EQ(Run({"checkpoints", job, "--pin", "last"}).exit_code, 0);
  EXPECT_EQ(Run({"import", file}).exit_code, 0);
  EXPECT_EQ(Run({"predict", job, "--data", file, "--format", "jsonl", "--top-k", "2"}).exit_code,
            0);
  EXPECT_EQ(Run({"predict", job, "--data", file, "-o", folder_ / "p.csv"}).exit_code, 0);
  EXPECT_EQ(Run({"checkpoints", job, "--unpin", "last"}).exit_code, 0);
  EXPECT_EQ(Run({"delete", job}).exit_code, 0);
}

TEST_F(SchemasTest, Regression) {
  std::string rows = "x,y,z\n";
  for (int i = 0; i < 96; ++i) absl::StrAppend(&rows, i % 7, ",", i * 5 % 11, ",", i % 3, "\n");
  const std::string table = folder_.Write("rows.csv", rows);
  const auto job = [&](const std::string& name, double rate) {
    const auto spec =
        job::Job(name)
            .Model(nn::Sequential(name)
                       .Seed(1)
                       .Updater(nn::Sgd(rate))
                       .Input(nn::FeedForward(2))
                       .Layer(nn::Output(1).Loss(nn::MeanSquaredError())))
            .Training(ParameterAveraging().Workers(2).BatchSizePerWorker(8).Epochs(3).StopEarly(
                job::EarlyStopping("r2")))
            .Train(data::Csv(table).LabelsAreNumbers())
            .Test(data::Csv(table).LabelsAreNumbers())
            .Build();
    EXPECT_TRUE(spec.ok()) << DescribeError(spec.status());
    return WriteJob(folder_, name, *spec);
  };
  const std::string file = job("linear", 0.01);
  const std::string id = Train(file);
  for (const char* command : {"status", "history", "explain", "evaluate", "inspect"})
    EXPECT_EQ(Run({command, id}).exit_code, 0) << command;
  EXPECT_EQ(Run({"import", file}).exit_code, 0);
  EXPECT_EQ(Run({"predict", id, "--data", file, "--format", "jsonl"}).exit_code, 0);
  EXPECT_EQ(Run({"inspect", id, "--log"}).exit_code, 0);

  // The learning rate is so high that the parameters overflow.
  const Finished failed = Run({"run", job("diverging", 100'000), "--master", "local[2]"});
  EXPECT_EQ(failed.exit_code, 1) << failed.errors;
  for (const char* command : {"status", "explain", "logs"})
    EXPECT_EQ(Run({command, "diverging-2"}).exit_code, 0) << command;
  EXPECT_EQ(Run({"wait", "diverging-2"}).exit_code, 1);
  EXPECT_EQ(Run({"list"}).exit_code, 0);
}

TEST_F(SchemasTest, TextAndSeveralOutputs) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "abcd ";
  const std::string path = folder_.Write("t.txt", text);
  const std::string language = folder_.Write(
      "language.json",
      absl::StrCat(R"({"name":"language","model":{"input":{"type":"sequence","steps":4,)",
                   R"("features":1},"layers":[{"type":"embedding","indices":5,"units":4},)",
                   R"({"type":"output","units":5,"loss":"softmax_cross_entropy"}]},)",
                   R"("training":{"workers":1,"batch_size":8},)",
                   R"("data":{"train":{"format":"text","steps":4,"path":")", path,
                   R"("},"test":{"format":"text","steps":4,"path":")", path, R"("}}})"));
  std::string id = Train(language);
  for (const char* command : {"evaluate", "inspect", "history"})
    EXPECT_EQ(Run({command, id}).exit_code, 0) << command;
  EXPECT_EQ(Run({"generate", id, "--prompt", "ab", "--length", "9"}).exit_code, 0);
  EXPECT_EQ(Run({"predict", id, "--data", language, "--format", "jsonl"}).exit_code, 0);
  EXPECT_EQ(Run({"import", language}).exit_code, 0);

  for (const SampleJob sample : {SampleJob::kTasks, SampleJob::kCnnKeep, SampleJob::kStatefulLstm,
                                 SampleJob::kMaskedText, SampleJob::kVae}) {
    const std::string file = WriteSample(sample);
    id = Train(file);
    for (const char* command : {"evaluate", "inspect", "status", "explain"})
      EXPECT_EQ(Run({command, id}).exit_code, 0) << command << " " << id;
    EXPECT_EQ(Run({"predict", id, "--data", file, "--format", "jsonl"}).exit_code, 0) << id;
    EXPECT_EQ(Run({"import", file}).exit_code, 0) << id;
  }
}

TEST_F(SchemasTest, TableWithoutADescription) {
  const std::string table = WriteTable();
  EXPECT_EQ(Run({"import", table}).exit_code, 0);
  const std::vector<std::string> run = {"run",      "mlp", "--train",  table,
                                        "--test",   table, "--label",  "kind",
                                        "--epochs", "1",   "--master", "local[1]"};
  const Finished trained = Run(run);
  ASSERT_EQ(trained.exit_code, 0) << trained.errors << trained.text;
  std::vector<std::string> dry = run;
  dry.emplace_back("--dry-run");
  EXPECT_EQ(Run(dry).exit_code, 0);
  const std::string other = folder_.Write("other.csv", "wing,nest,kind\n3,hole,auk\n4,tree,gull\n");
  const std::string id = trained.result().value("job", "");
  EXPECT_EQ(Run({"evaluate", id, "--data", other}).exit_code, 0);
  EXPECT_EQ(Run({"predict", id, "--data", other, "-o", folder_ / "p.jsonl"}).exit_code, 0);
}

TEST_F(SchemasTest, ErrorsOfEveryCommand) {
  const Json schemas = DlSubmit({"schema"}).result();
  int commands = 0;
  for (const auto& [name, schema] : schemas.at("$defs").items()) {
    if (name.front() < 'a') continue;  // a document
    ++commands;
    const Finished refused = RunAsItIs({name, "--no-such-flag", "--json"});
    EXPECT_EQ(refused.exit_code, 2) << name << refused.text;
    EXPECT_EQ(refused.lines.size(), 1u) << name << refused.text;
  }
  EXPECT_GT(commands, 30);
  EXPECT_EQ(Run({"run", folder_ / "none.json"}).exit_code, 4);
  EXPECT_EQ(Run({"status", "none-1"}).exit_code, 4);
  EXPECT_EQ(Run({"explain", "none-1"}).exit_code, 4);
}

TEST_F(SchemasTest, CommandsWithoutAJob) {
  EXPECT_EQ(
      RunAsItIs({"bench", "lenet5", "--batch-size", "2", "--seconds", "1", "--json"}).exit_code, 0);
  EXPECT_EQ(RunAsItIs({"version", "--json"}).exit_code, 0);
  EXPECT_EQ(RunAsItIs({"schema", "--json"}).exit_code, 0);
  EXPECT_EQ(RunAsItIs({"schema", "status"}).exit_code, 0);
  EXPECT_EQ(Run({"config", "show"}).exit_code, 0);
  Run({"doctor"});
  EXPECT_EQ(Run({"import", WriteTable()}).exit_code, 0);  // makes the folder a data folder
  const auto pages =
      Spawner::Real().Start({.argv = {Binary("dl-submit"), "ui", "--data-dir", data_, "--json"},
                             .out = ChildOutput::Pipe()});
  DL_ASSERT_OK(pages);
  const auto line = (*pages)->ReadLine(kTimeout);
  DL_ASSERT_OK(line);
  Record("ui", Json::parse(*line));
  DL_ASSERT_OK((*pages)->Signal(SIGTERM));
  DL_EXPECT_OK((*pages)->Wait(kTimeout));
}

TEST_F(SchemasTest, StandingCluster) {
  EXPECT_EQ(Run({"cluster", "init", "--name", "127.0.0.1"}).exit_code, 0);
  const std::vector<std::string> create = {"cluster", "token", "create", "--role", "read"};
  const Finished token = Run(create);
  EXPECT_EQ(token.exit_code, 0) << token.errors;
  std::vector<std::string> to_file = create;
  to_file.insert(to_file.end(), {"--expires", "1d", "-o", folder_ / "ada.token"});
  EXPECT_EQ(Run(to_file).exit_code, 0);
  EXPECT_EQ(Run({"cluster", "token", "list"}).exit_code, 0);
  EXPECT_EQ(Run({"cluster", "token", "revoke", token.result().value("id", "")}).exit_code, 0);

  const std::string plain = folder_ / "plain";  // without keys
  const Finished master = Run({"master", "--detach", "--port", "0"}, plain);
  ASSERT_EQ(master.exit_code, 0) << master.errors;
  const std::string url = master.result().value("url", "");
  const std::string file = WriteSample(SampleJob::kMlpAverage);
  setenv("DL_DATA_DIR", plain.c_str(), 1);
  const Finished submitted =
      RunAsItIs({"submit", file, "-d", "--master", url, "--epochs", "1000000", "--json"});
  EXPECT_EQ(submitted.exit_code, 0) << submitted.errors;
  const std::string id = submitted.result().value("job", "");
  EXPECT_EQ(
      Run({"submit", "mlp", "--train", WriteTable(), "--label", "kind", "--dry-run"}).exit_code, 0);
  EXPECT_EQ(RunAsItIs({"explain", id, "--master", url}).exit_code, 0);
  const auto executor = [&](const std::string& name) {
    return RunAsItIs({"executor", "--detach", "--json", "--master", url, "--name", name,
                      "--token-file", plain + "/token", "--cache-dir", folder_ / "cache"});
  };
  EXPECT_EQ(executor("one").exit_code, 0);
  EXPECT_EQ(executor("one").exit_code, 0);
  const auto ask = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--master", url, "--json"});
    const Finished finished = RunAsItIs(words);
    EXPECT_EQ(finished.exit_code, 0) << words.front() << finished.errors;
    return finished;
  };
  for (;;) {
    const Json job = ask({"status", id}).result();
    if (job.value("rounds", 0) > 0 || testing::Test::HasFailure()) break;
  }
  ask({"status"});
  ask({"checkpoints", id, "--now"});
  ask({"pause", id});
  for (;;) {
    const Json job = ask({"status", id}).result();
    if (job.value("state", "") == "PAUSED" || testing::Test::HasFailure()) break;
  }
  ask({"explain", id});
  ask({"resume", id, "-d"});
  ask({"cancel", id});
  EXPECT_EQ(RunAsItIs({"wait", id, "--master", url, "--json"}).exit_code, 3);
  EXPECT_EQ(RunAsItIs({"submit", file, "--master", url, "--json"}).exit_code, 0);
  ask({"cluster", "drain", "one"});
  Run({"cluster", "status"}, plain);
  EXPECT_EQ(RunAsItIs({"executor", "--detach", "--json", "--master", "dl://127.0.0.1:9", "--name",
                       "two", "--cache-dir", folder_ / "cache-2"})
                .exit_code,
            0);
  Run({"daemons"}, plain);
  Run({"daemons", "stop", "two"}, plain);
  Run({"daemons", "stop", "master"}, plain);
  Run({"daemons"}, plain);
}

TEST_F(SchemasTest, Sweep) {
  const Finished sweep = Run({"sweep", WriteSample(SampleJob::kMlpAverage), "--master", "local[2]",
                              "--grid", "model.l2=0,1e-5,1e-4", "--halving", "--epochs", "4"});
  EXPECT_EQ(sweep.exit_code, 0) << sweep.errors;
  // Minibatches of more examples than the data has are a reason for a warning.
  const Finished warned =
      Run({"sweep", WriteSample(SampleJob::kMlpAverage), "--master", "local[2]", "--grid",
           "model.l2=0,1e-4", "--batch-size", "4096", "--epochs", "1", "--name", "large"});
  EXPECT_EQ(warned.exit_code, 0) << warned.errors;
}

// A killed run leaves an unfinished job, which the next command continues.
TEST_F(SchemasTest, InterruptedJob) {
  std::optional<ForegroundRun> run;
  {
    const ScopedFailPoints armed("executor.compute=stop@20");
    run.emplace(folder_,
                std::vector<std::string>{"run", WriteSample(SampleJob::kMlpAverage), "--master",
                                         "local[1]", "--data-dir", data_, "--json"});
  }
  run->WaitForStop();
  run->Kill();
  for (const Json& line : run->Finish().lines) Record("run", line);
  EXPECT_EQ(Run({"status", "mlp-1"}).result().value("state", ""), "INTERRUPTED");
  EXPECT_EQ(Run({"list"}).exit_code, 0);
  EXPECT_EQ(Run({"explain", "mlp-1"}).exit_code, 0);
  EXPECT_EQ(Run({"resume", "mlp-1", "--master", "local[1]"}).exit_code, 0);
}

// Records that need a liar, or another instruction set, are those that other versions have written.
TEST_F(SchemasTest, StoredLogRecords) {
  const std::string folder = std::string(DL_SOURCE_ROOT) + "/tests/golden/documents/log_record";
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().string().find("present") != std::string::npos) continue;
    std::ifstream stored(file.path());
    for (std::string line; std::getline(stored, line);) Record("inspect", Json::parse(line));
  }
}

}  // namespace
}  // namespace dl::test
