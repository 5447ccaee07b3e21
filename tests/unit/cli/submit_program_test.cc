// Tests dl-submit as a program: exit codes, the last line, and access to a data folder.
#include "tests/unit/cli/submit_program.h"

#include <csignal>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/files.h"
#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "launch/kernel_contracts.h"
#include "nn/conf/contract_id.h"
#include "rpc/server.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;

// Reads JSON events of a running job until a round is committed.
void ReadUntilRound(ChildProcess& child) {
  for (std::string line; line.find("\"type\":\"round\"") == std::string::npos;) {
    auto read = child.ReadLine(kTimeout);
    DL_ASSERT_OK(read);
    line = *read;
    EXPECT_EQ(line.find("\"result\""), std::string::npos) << line;
  }
}

class SubmitProgram : public testing::Test {
 protected:
  Ended Run(std::vector<std::string> words, std::vector<std::string> environment = {}) {
    words.insert(words.end(), {"--data-dir", data_});
    return DlSubmit(std::move(words), std::move(environment));
  }
  test::TempFolder folder_;
  const std::string job_ = WriteSmallJob(folder_.path());
  const std::string data_ = folder_ / "data";
};

TEST_F(SubmitProgram, MisspelledVariableStopsCommands) {
  const Ended ended = Run({"list", "--json"}, {"DL_EPOCH=3"});
  EXPECT_EQ(ended.code, kInvalidConfig);
  EXPECT_EQ(ended.last["exit_code"], kInvalidConfig);
  EXPECT_NE(ended.err.find("DL_EPOCHS"), std::string::npos) << ended.err;
  EXPECT_EQ(DlSubmit({"list", "--help"}, {"DL_EPOCH=3"}).code, kSuccess);
  const Ended other = Run({"run", job_}, {"DL_DIR=/srv"});
  EXPECT_EQ(other.code, kSuccess);
  EXPECT_THAT(other.err, HasSubstr("warning: nothing reads the variable DL_DIR"));
}

TEST_F(SubmitProgram, UsageErrorIsReportedInJson) {
  EXPECT_EQ(DlSubmit({"bogus", "--json"}).last["exit_code"], kUsage);
  EXPECT_EQ(Run({"inspect", "small-1", "--spec", "--log"}).code, kUsage);
  EXPECT_EQ(Run({"resume", "small-1", "--isa", "avx2"}).code, kUsage) << "without --rebind";
  const Ended ended = DlSubmit({"run", "--json", "--epoch", "3", job_});
  EXPECT_EQ(ended.code, kUsage);
  EXPECT_EQ(ended.last["type"], "result");
  EXPECT_EQ(ended.last["error"]["code"], "invalid_argument");
}

TEST_F(SubmitProgram, JobProgramHandlesItsArguments) {
  const std::string table = folder_.Write("my.csv", "a,b,c,d,species\n1,2,3,4,x\n");
  const Ended dry = DlSubmit({"run", "mlp_csv", "--dry-run", "--", table});
  EXPECT_EQ(dry.code, kSuccess) << dry.err;
  EXPECT_THAT(dry.out, HasSubstr("\"path\": \"" + table + "\""));
  const Ended gone =
      DlSubmit({"run", "mlp_csv", "--dry-run", "--json", "--", folder_ / "gone.csv"});
  EXPECT_EQ(gone.code, kBadData) << gone.out;
  EXPECT_EQ(gone.last["error"]["code"], "not_found");
  const Ended two = DlSubmit({"run", "mlp_csv", "--json", "--dry-run", "--", "a.csv", "b.csv"});
  EXPECT_EQ(two.code, kInvalidConfig);
  EXPECT_THAT(two.last["error"]["message"].get<std::string>(), HasSubstr("\"b.csv\" is another"));
  const Ended none = DlSubmit({"run", "lenet_fashion_mnist", "--dry-run", "--", "x"});
  EXPECT_EQ(none.code, kInvalidConfig);
  EXPECT_THAT(none.err, HasSubstr("this job takes no arguments"));
  const Ended alone = Shell("$(dirname $DL)/mlp_csv --dry-run --epochs 3 -- " + table);
  EXPECT_EQ(alone.code, kSuccess) << alone.out;
  EXPECT_THAT(alone.out, HasSubstr("\"path\": \"" + table + "\""));
  EXPECT_THAT(alone.out, HasSubstr("\"epochs\": 3"));
}

TEST_F(SubmitProgram, PathsOfSpecStartAtItsFolder) {
  const std::string text = ReadFile(job_, 1 << 20).value();
  std::ofstream(folder_ / "near.json") << absl::StrReplaceAll(text, {{folder_.path() + "/", ""}});
  const Ended run = Run({"run", folder_ / "near.json"});
  EXPECT_EQ(run.code, kSuccess) << run.err;
  // A path on the command line is relative to the current folder.
  EXPECT_EQ(Run({"run", folder_ / "near.json", "--set", "data.train.path=rows.csv"}).code,
            kBadData);
}

TEST_F(SubmitProgram, BadDataFilesGive65) {
  const Ended missing = Run({"run", job_, "--set", "data.train.path=nowhere.csv", "--json"});
  EXPECT_EQ(missing.code, kBadData);
  EXPECT_EQ(missing.last["error"]["code"], "not_found");
  EXPECT_NE(missing.last["error"]["where"].get<std::string>().find("data.train"),
            std::string::npos);
  EXPECT_EQ(Run({"run", job_, "--set", "model.input.features=3"}).code, kBadData);
  EXPECT_EQ(Run({"run", job_, "--set", "model.layers.0.units=4"}).code, kBadData);
  // A file that the command line names, and a contradictory document, are not data.
  EXPECT_EQ(Run({"run", folder_ / "gone.json"}).code, kNotFound);
  std::ofstream(folder_ / "empty.json") << R"({"model":{"layers":[]}})";
  EXPECT_EQ(Run({"run", folder_ / "empty.json"}).code, kInvalidConfig);
}

// A job keeps the kernel contract of its rounds, whatever this process would choose.
TEST_F(SubmitProgram, EvaluateAndResumeKeepContract) {
  const std::vector<std::string> offered = launch::KernelContracts();
  if (offered.size() < 3) GTEST_SKIP() << "a machine with one instruction set";
  const Ended run = Run({"run", job_, "--isa", "avx2", "--json"});
  ASSERT_EQ(run.code, kSuccess) << run.err;
  const auto of_job = [](const std::string& contract) { return nn::ContractOfJob(contract, {}); };
  EXPECT_EQ(run.last["kernel_contract"], of_job(offered.front()));
  const Ended evaluated = Run({"evaluate", "small-1", "--json"});
  ASSERT_EQ(evaluated.code, kSuccess) << evaluated.err;
  EXPECT_EQ(evaluated.last["kernel_contract"], of_job(offered.front()));
  // Equal to the bit, because the executors computed the same sum.
  EXPECT_EQ(evaluated.last["loss"], run.last["metrics"]["test"]["loss"]);
  const Ended other = Run({"run", job_, "--isa", "avx512", "--json"});
  EXPECT_EQ(other.last["kernel_contract"], of_job(offered[1]));
}

TEST_F(SubmitProgram, PortableJobIsEvaluatedUnderItsContract) {
  const Ended run = Run({"run", job_, "--kernels", "portable", "--json"});
  ASSERT_EQ(run.code, kSuccess) << run.err;
  EXPECT_EQ(run.last["kernel_contract"], "portable/1");
  const Ended evaluated = Run({"evaluate", "small-1", "--json"});
  ASSERT_EQ(evaluated.code, kSuccess) << evaluated.err;
  EXPECT_EQ(evaluated.last["kernel_contract"], "portable/1");
  EXPECT_EQ(evaluated.last["loss"], run.last["metrics"]["test"]["loss"]);
  // Portable kernels have no instruction set and no bf16.
  EXPECT_EQ(Run({"run", job_, "--kernels", "portable", "--isa", "avx2"}).code, kUsage);
  EXPECT_EQ(Run({"run", job_, "--kernels", "portable", "--precision", "bf16"}).code, kUsage);
}

TEST_F(SubmitProgram, JobOfOtherIsaResumesWithoutFlags) {
  if (launch::KernelContracts().size() < 3) GTEST_SKIP() << "a machine with one instruction set";
  auto child = StartDlSubmit(
      {"run", job_, "--isa", "avx2", "--epochs", "1000000", "--json", "--data-dir", data_});
  ASSERT_NE(child, nullptr);
  ReadUntilRound(*child);
  DL_ASSERT_OK(child->Signal(SIGTERM));
  DL_ASSERT_OK(child->ReadAll(kTimeout, 1 << 26));
  EXPECT_EQ(child->Wait(kTimeout)->code, kTerminated);
  const Ended of_bf16 = Run({"resume", "small-1", "--rebind", "--isa", "amx", "--json"});
  EXPECT_EQ(of_bf16.code, kUsage) << of_bf16.out;
  auto resumed = StartDlSubmit({"resume", "small-1", "--json", "--data-dir", data_});
  ASSERT_NE(resumed, nullptr);
  ReadUntilRound(*resumed);
}

TEST_F(SubmitProgram, RunningMasterIsQueried) {
  ASSERT_EQ(Run({"run", job_}).code, kSuccess);
  auto master = StartDlSubmit({"master", "--port", "0", "--data-dir", data_});
  ASSERT_NE(master, nullptr);
  DL_ASSERT_OK(master->ReadLine(kTimeout));
  const Ended list = Run({"list", "-q"});
  EXPECT_EQ(list.code, kSuccess) << list.err;
  EXPECT_EQ(list.out, "small-1\n");
  const Ended run = Run({"run", job_, "--json"});
  EXPECT_EQ(run.code, kTryAgain);
  const std::string said = run.last["error"]["message"];
  EXPECT_NE(said.find("in use by process " + std::to_string(master->pid())), std::string::npos)
      << said;
  EXPECT_NE(run.last["error"]["remedy"].get<std::string>().find("--master dl://"),
            std::string::npos);
  const Ended detached = Run({"submit", job_, "-d"});
  EXPECT_EQ(detached.code, kUsage);
  EXPECT_THAT(detached.err, HasSubstr("uses the data folder: --master dl://"));
}

TEST_F(SubmitProgram, BrokenDataFolderIsRefused) {
  std::ofstream(folder_ / "file") << "x";
  for (const char* command : {"list", "run"}) {
    std::vector<std::string> words = {command, "--data-dir", folder_ / "file"};
    if (command == std::string("run")) words.push_back(job_);
    const Ended ended = DlSubmit(words);
    EXPECT_EQ(ended.code, kInputOutput) << command;
    EXPECT_NE(ended.err.find("Not a directory"), std::string::npos) << ended.err;
  }
  ASSERT_EQ(Run({"run", job_}).code, kSuccess);
  std::filesystem::remove_all(data_ + "/bulk");
  const Ended list = Run({"list"});
  EXPECT_EQ(list.code, kBadData);
  EXPECT_NE(list.err.find("the bulk database is missing"), std::string::npos) << list.err;
  EXPECT_FALSE(std::filesystem::exists(data_ + "/bulk"));
}

TEST_F(SubmitProgram, RunningRunIsQueriedAndSecondRunWaits) {
  auto run = StartDlSubmit({"run", job_, "--epochs", "1000000", "--json", "--data-dir", data_});
  ASSERT_NE(run, nullptr);
  ReadUntilRound(*run);
  const Ended list = Run({"list"});
  EXPECT_EQ(list.code, kSuccess) << list.err;
  EXPECT_THAT(list.out, HasSubstr("RUNNING"));
  for (const char* command : {"status", "logs", "history", "checkpoints"}) {
    const Ended ended = Run({command, "small-1"});
    EXPECT_EQ(ended.code, kSuccess) << command << ended.err;
  }
  auto second = StartDlSubmit({"run", job_, "--name", "second", "--json", "--data-dir", data_});
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(Run({"list", "-q"}).out, "small-1\n");
  EXPECT_EQ(Run({"cancel", "small-1"}).code, kSuccess);
  DL_ASSERT_OK(run->ReadAll(kTimeout, 1 << 28));
  EXPECT_EQ(run->Wait(kTimeout)->code, kCancelled);
  DL_ASSERT_OK(second->ReadAll(kTimeout, 1 << 26));
  EXPECT_EQ(second->Wait(kTimeout)->code, kSuccess);
  EXPECT_EQ(Run({"list", "-q"}).out, "small-1\nsecond-2\n");
}

// A run that waits says which process it waits for, and it can be stopped.
TEST_F(SubmitProgram, WaitingRunNamesHolder) {
  auto run = StartDlSubmit({"run", job_, "--epochs", "1000000", "--json", "--data-dir", data_});
  ASSERT_NE(run, nullptr);
  ReadUntilRound(*run);
  const char* bin = std::getenv("DL_BIN");
  auto waiting = Spawner::Real().Start(
      {.argv = {"/bin/sh", "-c",
                absl::StrCat("exec ", bin == nullptr ? "build/release/bin" : bin, "/dl-submit run ",
                             job_, " --data-dir ", data_, " 2>&1")},
       .out = ChildOutput::Pipe()});
  DL_ASSERT_OK(waiting);
  EXPECT_THAT((*waiting)->ReadLine(kTimeout).value_or(""),
              HasSubstr(absl::StrCat("waiting for process ", run->pid())));
  DL_ASSERT_OK((*waiting)->Signal(SIGINT));
  EXPECT_THAT((*waiting)->ReadAll(kTimeout, 1 << 20).value_or(""),
              HasSubstr("interrupted while waiting"));
  EXPECT_EQ((*waiting)->Wait(kTimeout)->code, kInterrupted);
  DL_ASSERT_OK(run->Signal(SIGKILL));
  DL_ASSERT_OK(run->Wait(kTimeout));
  // No process computes the job now, and its status must not claim that it is being recovered.
  EXPECT_THAT(Run({"list"}).out, HasSubstr("INTERRUPTED"));
  const Ended status = Run({"status", "small-1"});
  EXPECT_THAT(status.out, HasSubstr("INTERRUPTED"));
  EXPECT_THAT(status.out, HasSubstr("dl-submit resume --data-dir"));
}

TEST_F(SubmitProgram, OtherUnfinishedJobIsReported) {
  auto killed = StartDlSubmit({"run", job_, "--epochs", "1000000", "--json", "--data-dir", data_});
  ASSERT_NE(killed, nullptr);
  ReadUntilRound(*killed);
  DL_ASSERT_OK(killed->Signal(SIGKILL));
  DL_ASSERT_OK(killed->Wait(kTimeout));
  const Ended now = Run({"checkpoints", "small-1", "--now"});
  EXPECT_EQ(now.code, kFailed) << now.out << "what nobody can write is not promised";
  const Ended run = Run({"run", job_, "--name", "second"});
  EXPECT_EQ(run.code, kSuccess) << run.err;
  EXPECT_NE(run.err.find("small-1 is unfinished and goes on here too"), std::string::npos)
      << run.err;
  EXPECT_EQ(Run({"list", "-q"}).out, "small-1\nsecond-2\n");
}

TEST_F(SubmitProgram, MasterOnTakenPortChangesNothing) {
  auto master = StartDlSubmit({"master", "--port", "0", "--data-dir", data_});
  ASSERT_NE(master, nullptr);
  auto line = master->ReadLine(kTimeout);
  DL_ASSERT_OK(line);
  auto ready = ParseJson(*line, "ready line");
  DL_ASSERT_OK(ready);
  const std::string port = (*ready)["port"].dump();
  const Ended second = DlSubmit({"master", "--port", port, "--data-dir", folder_ / "other"});
  EXPECT_EQ(second.code, kTryAgain);
  EXPECT_NE(second.err.find("127.0.0.1:" + port), std::string::npos) << second.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "other"));
}

TEST_F(SubmitProgram, TakenPortOfPagesHasOneExitCode) {
  auto server = rpc::Server::Listen({.version = "test"});
  DL_ASSERT_OK(server);
  const std::string port = std::to_string((*server)->port());
  const std::vector<std::vector<std::string>> commands = {
      {"master", "--port", "0", "--data-dir", folder_ / "master"},
      {"run", job_, "--master", "local[1]", "--data-dir", folder_ / "run"},
      {"run", job_, "--master", "local-cluster[1]", "--data-dir", folder_ / "processes"},
      {"ui", folder_ / "master"}};
  for (std::vector<std::string> words : commands) {
    words.insert(words.end(), {"--http", port});
    const Ended ended = DlSubmit(words);
    EXPECT_EQ(ended.code, kTryAgain) << words[0] << ": " << ended.err;
  }
}

TEST_F(SubmitProgram, DeadClusterMasterIsReportedWithLog) {
  const Ended ended =
      Run({"run", job_, "--master", "local-cluster[1]"}, {"DL_FAIL_POINTS=master.durable=kill@1"});
  EXPECT_EQ(ended.code, kUnreachable);
  EXPECT_THAT(ended.err, HasSubstr("the master process was killed"));
  EXPECT_THAT(ended.err, HasSubstr("logs/master.log"));
}

TEST_F(SubmitProgram, DryRunShowsJobAndChangesNothing) {
  const Ended dry = Run({"run", job_, "--dry-run", "--epochs", "3", "--resume-from", "small-1@4"});
  EXPECT_EQ(dry.code, kSuccess);
  const auto spec = ParseJson(dry.out, "stdout");
  DL_ASSERT_OK(spec);
  EXPECT_EQ((*spec)["training"]["epochs"], 3);
  EXPECT_NE(dry.err.find("training: 3 epochs"), std::string::npos) << dry.err;
  EXPECT_NE(dry.err.find("begins from the full state of small-1@4"), std::string::npos) << dry.err;
  EXPECT_EQ(Run({"run", job_, "--dry-run", "--init-from", "small-1@lst"}).code, kUsage);
  EXPECT_FALSE(std::filesystem::exists(data_));
}

// A printed spec names its datasets by their manifests.
TEST_F(SubmitProgram, PrintedSpecCanBeRun) {
  const Ended first = Run({"run", job_, "--json"});
  ASSERT_EQ(first.code, kSuccess) << first.err;
  const Ended spec = Run({"inspect", "small-1", "--spec"});
  std::ofstream(folder_ / "again.json") << spec.out;
  const Ended again = Run({"run", folder_ / "again.json", "--json"});
  EXPECT_EQ(again.code, kSuccess) << again.err;
  EXPECT_EQ(again.last["state_sha256"], first.last["state_sha256"]);
  // The import has already determined how the data is normalized.
  const Ended other = Run({"run", folder_ / "again.json", "--set", "data.normalizer=min_max"});
  EXPECT_EQ(other.code, kBadData) << other.err;
  EXPECT_NE(other.err.find("Set data.normalizer to"), std::string::npos) << other.err;
  const Ended elsewhere =
      DlSubmit({"run", folder_ / "again.json", "--data-dir", folder_ / "elsewhere"});
  EXPECT_EQ(elsewhere.code, kBadData);
}

TEST_F(SubmitProgram, WrongJobOrCheckpointGetsSuggestion) {
  ASSERT_EQ(Run({"run", job_}).code, kSuccess);
  for (const char* command : {"status", "logs", "history", "attach", "wait", "cancel", "resume",
                              "checkpoints", "inspect", "evaluate", "export"}) {
    const Ended ended = Run({command, "smal-1"});
    EXPECT_EQ(ended.code, kNotFound) << command;
    EXPECT_NE(ended.err.find("did you mean \"small-1\""), std::string::npos)
        << command << ": " << ended.err;
  }
  for (const char* command : {"inspect", "evaluate", "export"}) {
    const Ended round = Run({command, "small-1@1000"});
    EXPECT_EQ(round.code, kNotFound) << command;
    EXPECT_NE(round.err.find("of round"), std::string::npos) << round.err;
    EXPECT_EQ(Run({command, "small-1@lst"}).code, kUsage) << command;
  }
}

TEST_F(SubmitProgram, BareTableIsImported) {
  std::ofstream(folder_ / "semi.csv") << "x;z;c\n1;2;a\n3;4;b\n";
  const Ended import = Run({"import", folder_ / "semi.csv"});
  EXPECT_EQ(import.code, kSuccess) << import.err;
  EXPECT_THAT(import.err, HasSubstr(R"(2 rows, fields separated by ";", with a header)"));
  EXPECT_THAT(import.out, HasSubstr("2 classes: a 1, b 1"));
  std::string rows;
  for (int i = 0; i < 40; ++i) rows += std::to_string(i) + ",7," + std::to_string(i * 0.37) + "\n";
  std::ofstream(folder_ / "rate.csv") << rows;
  const Ended rate = Run({"import", folder_ / "rate.csv"});
  EXPECT_THAT(rate.out, HasSubstr("a number to predict")) << rate.err;
  EXPECT_THAT(rate.out, HasSubstr("examples    40"));
  const Ended idx = Run({"import", "/x/train-images-idx3-ubyte.gz"});
  EXPECT_EQ(idx.code, kBadData);
  EXPECT_THAT(idx.err, HasSubstr(R"("labels":"/x/train-labels-idx1-ubyte.gz")"));
  EXPECT_THAT(Run({"run", folder_ / "rows.csv"}).err, HasSubstr("dl-submit import"));
  ASSERT_EQ(Run({"run", job_}).code, kSuccess);
  const Ended evaluated = Run({"evaluate", "small-1", "--data", folder_ / "rows.csv", "--json"});
  EXPECT_EQ(evaluated.last["examples"], 96) << evaluated.err;
}

TEST_F(SubmitProgram, SettingWithoutEffectGivesWarning) {
  const Ended people = Run({"run", job_, "--workers", "200"});
  EXPECT_EQ(people.code, kSuccess) << people.err;
  EXPECT_THAT(people.err, HasSubstr("warning: training.workers is 200"));
  const Ended json = Run({"run", job_, "--batch-size", "500", "--json"});
  EXPECT_THAT(json.out, HasSubstr(R"({"job":"small-2","message":"training.batch_size is 500)"));
  EXPECT_THAT(json.out, HasSubstr(R"("type":"warning"})"));
  EXPECT_EQ(Run({"run", job_}).err.find("warning: training."), std::string::npos);
}

TEST_F(SubmitProgram, ImpossibleRequestIsRefusedWithReason) {
  ASSERT_EQ(Run({"run", job_}).code, kSuccess);
  for (const char* part : {"--spec", "--log"}) {
    EXPECT_EQ(Run({"inspect", "small-1@99", part}).code, kNotFound) << part;
    EXPECT_EQ(Run({"inspect", "small-1", part}).code, kSuccess) << part;
  }
  EXPECT_EQ(Run({"run", job_, "-q", "--json"}).code, kUsage);
  EXPECT_EQ(Run({"list", "-q", "--json"}).code, kUsage);
}

}  // namespace
}  // namespace dl::cli
