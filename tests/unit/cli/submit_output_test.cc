// How dl-submit uses its output, and what it does if the output cannot be written.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <regex>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/clock.h"
#include "base/files.h"
#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "launch/pause.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
constexpr int64_t kMaxBytes = 1 << 24;

class SubmitOutput : public testing::Test {
 protected:
  Ended Run(std::vector<std::string> words) {
    words.insert(words.end(), {"--data-dir", data_});
    return DlSubmit(std::move(words));
  }
  // Runs a command whose reader exits at the first line that contains `last`. Returns the command's
  // exit code and standard error.
  Ended WithReaderThatLeaves(const std::string& words, const std::string& last = "") {
    Ended ended = Shell(absl::StrCat("$DL ", words, " --data-dir ", data_, " 2>", folder_ / "err",
                                     " | grep -m1 -F '", last, "' >", folder_ / "line",
                                     "; exit ${PIPESTATUS[0]}"));
    ended.err = ReadFile(folder_ / "err", kMaxBytes).value_or("");
    return ended;
  }
  // Starts a standing master without executors. Returns its URL.
  std::string StartMaster() {
    master_ = StartDlSubmit({"master", "--port", "0", "--data-dir", data_});
    const auto line = master_->ReadLine(kTimeout);
    DL_CHECK(line.ok());
    return absl::StrCat("dl://127.0.0.1:", (*ParseJson(*line, "ready line"))["port"].dump());
  }
  std::string StateOfTheJob() { return Run({"list", "--json"}).out; }

  test::TempFolder folder_;
  const std::string job_ = WriteSmallJob(folder_.path());
  const std::string data_ = folder_ / "data";
  std::unique_ptr<ChildProcess> master_;
};

TEST_F(SubmitOutput, ExportFollowsLinksAndPipes) {
  ASSERT_EQ(Run({"run", job_}).code, kSuccess);
  std::ofstream(folder_ / "target.npz") << "old";
  std::filesystem::create_symlink("target.npz", folder_ / "link.npz");
  const Ended linked = Run({"export", "small-1", "-o", folder_ / "link.npz"});
  EXPECT_EQ(linked.code, kSuccess) << linked.err;
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link.npz"));
  const std::string bytes = ReadFile(folder_ / "target.npz", kMaxBytes).value_or("");
  EXPECT_TRUE(bytes.starts_with("PK")) << bytes.substr(0, 10);

  const Ended out =
      Shell(absl::StrCat("cd ", folder_.path(),
                         " && $DL export small-1 --format npz -o - --data-dir ", data_, " 2>said"));
  EXPECT_EQ(out.code, kSuccess);
  EXPECT_EQ(out.out, bytes);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "-"));
  EXPECT_THAT(ReadFile(folder_ / "said", kMaxBytes).value_or(""), HasSubstr("wrote -: small-1@"));

  EXPECT_EQ(Run({"export", "small-1", "-o", folder_.path()}).code, kInputOutput);
  const Ended nowhere = Run({"export", "small-1", "-o", folder_ / "none/x"});
  EXPECT_EQ(nowhere.code, kInputOutput);
  EXPECT_THAT(nowhere.err, HasSubstr("try: "));
}

TEST_F(SubmitOutput, RunWithClosedOutputIsCancelled) {
  const Ended run = WithReaderThatLeaves(absl::StrCat("run ", job_, " --epochs 1000000 --json"),
                                         "\"type\":\"round\"");
  EXPECT_EQ(run.code, kInputOutput) << run.err;
  EXPECT_THAT(run.err, HasSubstr("cannot write to standard output"));
  EXPECT_THAT(run.err, HasSubstr("at: standard output"));
  EXPECT_THAT(run.err, HasSubstr("dl-submit resume"));
  EXPECT_THAT(StateOfTheJob(), HasSubstr("CANCELLED"));
  const Ended checkpoints = Run({"checkpoints", "small-1"});
  EXPECT_THAT(checkpoints.out, HasSubstr("small-1@"));
}

// If an output is closed, the next opened file could get its descriptor and receive the output.
TEST_F(SubmitOutput, ClosedOutputIsAnError) {
  const Ended run =
      Shell(absl::StrCat("$DL run ", job_, " --json --data-dir ", data_, " >&- 2>&-"));
  EXPECT_EQ(run.code, kInputOutput);
  for (const char* file : {"holder", "meta/LOCK", "bulk/LOCK"}) {
    const std::string bytes = ReadFile(data_ + "/" + file, kMaxBytes).value_or("");
    EXPECT_EQ(bytes.find("QUEUED"), std::string::npos) << file << ": " << bytes;
  }
  ASSERT_EQ(Run({"run", job_}).code, kSuccess);
  for (const char* words : {"list", "export small-2 -o -", "--help", "run --help"}) {
    const bool help = std::string_view(words).ends_with("help");
    const std::string folder = help ? "" : " --data-dir " + data_;
    EXPECT_EQ(Shell(absl::StrCat("$DL ", words, folder, " >&-")).code, kInputOutput) << words;
    EXPECT_EQ(Shell(absl::StrCat("$DL ", words, folder, " >/dev/full")).code, kInputOutput)
        << words;
  }
}

TEST_F(SubmitOutput, SignalAfterResultIsIgnored) {
  auto run = StartDlSubmit({"run", job_, "--json", "--data-dir", data_});
  ASSERT_NE(run, nullptr);
  for (std::string line; line.find("\"type\":\"result\"") == std::string::npos;) {
    auto read = run->ReadLine(kTimeout);
    DL_ASSERT_OK(read);
    line = *read;
  }
  (void)run->Signal(SIGTERM);  // it may have ended already
  const auto ended = run->Wait(kTimeout);
  DL_ASSERT_OK(ended);
  EXPECT_EQ(ended->code, kSuccess);
  EXPECT_EQ(ended->signal, 0);
}

TEST_F(SubmitOutput, FollowerWithClosedOutputLeavesJob) {
  auto run = StartDlSubmit({"run", job_, "--epochs", "1000000", "--json", "--master",
                            "local-cluster[1]", "--data-dir", data_});
  ASSERT_NE(run, nullptr);
  DL_ASSERT_OK(run->ReadLine(kTimeout));
  for (const char* words : {"wait small-1 --json", "logs -f small-1 --json"}) {
    const Ended follower = WithReaderThatLeaves(words);
    EXPECT_EQ(follower.code, kInputOutput) << words;
    EXPECT_THAT(follower.err, HasSubstr("small-1 continues")) << words;
    EXPECT_THAT(follower.err, HasSubstr("dl-submit attach")) << words;
  }
  DL_ASSERT_OK(run->Signal(SIGTERM));
  DL_ASSERT_OK(run->ReadAll(kTimeout, 1 << 28));
  EXPECT_EQ(run->Wait(kTimeout)->code, kTerminated);
}

TEST_F(SubmitOutput, RefusalOfMasterHasPlaceAndRemedy) {
  ASSERT_EQ(Run({"run", job_}).code, kSuccess);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"checkpoints", "small-1", "--pin", "77"},
                                             {"checkpoints", "small-1", "--unpin", "77"},
                                             {"checkpoints", "small-1", "--unpin", "77~1"},
                                             {"checkpoints", "small-1", "--now"},
                                             {"resume", "small-1"}}) {
    const Ended ended = Run(words);
    EXPECT_NE(ended.code, kSuccess) << words.back();
    EXPECT_THAT(ended.err, HasSubstr("at: ")) << words.back();
    EXPECT_THAT(ended.err, HasSubstr("try: ")) << words.back();
  }
}

TEST_F(SubmitOutput, LogsGoToStandardOutput) {
  ASSERT_EQ(Run({"run", job_}).code, kSuccess);
  const Ended followed = Run({"logs", "-f", "small-1"});
  EXPECT_EQ(followed.code, kSuccess);
  EXPECT_EQ(followed.err, "");
  EXPECT_EQ(followed.out, Run({"logs", "small-1"}).out);
  EXPECT_THAT(followed.out, HasSubstr("small-1  SUCCEEDED"));
  // Each line begins with a time. The end of the job occurs once.
  const std::regex with_time("20\\d\\d-\\d\\d-\\d\\dT[0-9:]{8}Z  small-1  .*");
  size_t ends = 0;
  for (const std::string& line :
       std::vector<std::string>(absl::StrSplit(followed.out, '\n', absl::SkipEmpty()))) {
    EXPECT_TRUE(std::regex_match(line, with_time)) << line;
    if (line.find("SUCCEEDED") != std::string::npos) ++ends;
  }
  EXPECT_EQ(ends, 1u) << followed.out;
}

TEST_F(SubmitOutput, QuietRunWarnsOfTheData) {
  std::string rows = "x,price\n";
  for (int i = 0; i < 20; ++i) absl::StrAppend(&rows, i % 7, ",3.5\n");
  const Ended run = Run({"run", "mlp", "--train", folder_.Write("t.csv", rows), "--regression",
                         "--epochs", "1", "-q"});
  EXPECT_EQ(run.code, kSuccess);
  EXPECT_THAT(run.err, HasSubstr("warning: " + (folder_ / "t.csv") +
                                 ": the number to predict of all examples is 3.5"));
}

TEST_F(SubmitOutput, ControlCharactersOfNamesAreEscaped) {
  std::string rows = "x,label\n";
  for (int i = 0; i < 20; ++i)
    absl::StrAppend(&rows, i, ",", i % 2 == 0 ? "\x1b[31mred" : "\"two\nlines\"", "\n");
  const std::string table = folder_.Write("labels.csv", rows);
  const Ended imported = Run({"import", table});
  EXPECT_EQ(imported.code, kSuccess) << imported.err;
  EXPECT_THAT(imported.out, HasSubstr("\\u001b[31mred"));
  ASSERT_EQ(Run({"run", "mlp", "--train", table, "--epochs", "1", "-q"}).code, kSuccess);
  const Ended evaluated = Run({"evaluate", "mlp-1", "--data", table});
  EXPECT_EQ(evaluated.code, kSuccess) << evaluated.err;
  EXPECT_THAT(evaluated.out, HasSubstr("\\u001b[31mred"));
  EXPECT_THAT(evaluated.out, HasSubstr("two\\nlines"));
  const Ended missing = Run({"evaluate", "no\x1b[2Jjob"});
  EXPECT_THAT(missing.err, HasSubstr("no\\u001b[2Jjob"));
  for (const Ended& ended : {imported, evaluated, missing}) {
    EXPECT_THAT(ended.out, Not(HasSubstr("\x1b")));
    EXPECT_THAT(ended.err, Not(HasSubstr("\x1b")));
  }
}

TEST_F(SubmitOutput, EvaluatePrintsTheConfusionMatrix) {
  ASSERT_EQ(Run({"run", job_}).code, kSuccess);
  const Ended evaluated = Run({"evaluate", "small-1"});
  EXPECT_EQ(evaluated.code, kSuccess) << evaluated.err;
  EXPECT_THAT(evaluated.out, HasSubstr("confusion matrix"));
  EXPECT_THAT(evaluated.out,
              testing::ContainsRegex("\nCLASS +0 +1 +2\n0 +[0-9]+ +[0-9]+ +[0-9]+\n"));
}

TEST_F(SubmitOutput, EvaluateShowsFiguresOfModel) {
  ASSERT_EQ(Run({"run", job_}).code, kSuccess);
  const std::string of_classes = Run({"evaluate", "small-1"}).out;
  for (const char* figure :
       {"accuracy", "macro F1", "kappa", "MCC", "ROC AUC", "PR AUC", "log loss", "Brier"}) {
    EXPECT_THAT(of_classes, testing::ContainsRegex(absl::StrCat("\n", figure, " +-?[0-9.]+")));
  }
  EXPECT_THAT(of_classes, testing::Not(HasSubstr("perplexity"))) << "no sequences";
  const Json classes = Run({"evaluate", "small-1", "--json"}).last;
  EXPECT_FALSE(classes.contains("outputs"));
  EXPECT_NEAR(classes["log_loss"].get<double>(), classes["loss"].get<double>(), 1e-5);
  EXPECT_EQ(classes["classes"].size(), 3u);
  EXPECT_TRUE(classes["classes"][2].contains("roc_auc"));

  const std::string regression = folder_ / "regression.json";
  Json job = *ParseJson(*ReadFile(job_, kMaxBytes), job_);
  job["name"] = "numbers";
  job["data"]["train"]["label_type"] = "number";
  if (job["data"].contains("test")) job["data"]["test"]["label_type"] = "number";
  job["model"]["layers"].back()["units"] = 1;
  job["model"]["layers"].back()["loss"] = "mean_squared_error";
  std::ofstream(regression) << JsonText(job);
  const Ended run = Run({"run", regression});
  ASSERT_EQ(run.code, kSuccess) << run.err;
  EXPECT_THAT(Run({"evaluate", "numbers-2"}).out,
              testing::ContainsRegex("\nOUTPUT +MSE +MAE +R2\n0 +[0-9.e-]+ +[0-9.e-]+ +-?[0-9.]+"));
  const Json numbers = Run({"evaluate", "numbers-2", "--json"}).last;
  EXPECT_NEAR(numbers["outputs"][0]["mse"].get<double>(), numbers["loss"].get<double>(), 1e-5);
  EXPECT_FALSE(numbers.contains("accuracy"));
}

// Expects that no line is wider than a terminal, and that none is truncated JSON.
void ExpectFits(const Ended& ended) {
  EXPECT_EQ(ended.code, kSuccess) << ended.err;
  const std::string shown = ended.out.substr(0, ended.out.find("next:"));
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(shown, '\n'))) {
    if (line.starts_with("data ")) continue;  // its length depends on the folder's path
    EXPECT_LE(line.size(), 80) << line;
  }
  EXPECT_EQ(shown.find("{\""), std::string::npos) << shown;
}

TEST_F(SubmitOutput, TextFits80Columns) {
  std::string text = ReadFile(folder_ / "rows.csv", kMaxBytes).value();
  std::string words = "x,y,label\n";
  for (size_t at = text.find('\n') + 1; at < text.size(); at = text.find('\n', at) + 1) {
    const size_t end = text.find('\n', at);
    words += text.substr(at, end - 1 - at);
    words += text[end - 1] == '0' ? "red\n" : text[end - 1] == '1' ? "green\n" : "blue\n";
  }
  std::ofstream(folder_ / "rows.csv") << words;
  Json job = *ParseJson(*ReadFile(job_, kMaxBytes), job_);
  job["name"] = "lenet5-fashion";
  std::ofstream(job_) << JsonText(job);
  const std::string id = "lenet5-fashion-1";
  ASSERT_EQ(Run({"run", job_}).code, kSuccess);
  ASSERT_EQ(Run({"checkpoints", id, "--pin", "best"}).code, kSuccess);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"import", job_},
                                             {"checkpoints", id},
                                             {"inspect", id},
                                             {"status", id},
                                             {"status"},
                                             {"list"},
                                             {"evaluate", id},
                                             {"run", job_}}) {
    ExpectFits(Run(words));
  }
  EXPECT_THAT(Run({"import", job_}).out, HasSubstr("3 classes: blue 32, green 32, red 32"));
  EXPECT_THAT(Run({"evaluate", id}).out, testing::ContainsRegex("\n1 green +[0-9]+"));
  EXPECT_THAT(Run({"checkpoints", id, "--long"}).out, testing::ContainsRegex("[0-9a-f]{64}"));
}

TEST_F(SubmitOutput, StatusOfClusterFits80Columns) {
  const std::string url = StartMaster();
  auto executor = StartDlSubmit({"executor", "--master", url, "--cache-dir", folder_ / "cache"});
  ASSERT_NE(executor, nullptr);
  Json known;
  for (const Instant limit = Clock::Real().Now() + kTimeout; Clock::Real().Now() < limit;
       launch::Pause(std::chrono::milliseconds(20))) {
    known = DlSubmit({"status", "--master", url, "--json"}).last;
    if (known.is_object() && !known["executors"].empty()) break;
  }
  ASSERT_EQ(known["executors"].size(), 1u);
  const std::string contract = known["executors"][0]["offers"][0]["kernel_contract"];
  const Ended shown = DlSubmit({"status", "--master", url});
  ExpectFits(shown);
  EXPECT_THAT(shown.out, HasSubstr(known["executors"][0]["executor"].get<std::string>()));
  EXPECT_THAT(shown.out, Not(HasSubstr(contract)));
  EXPECT_THAT(DlSubmit({"status", "--master", url, "--long"}).out, HasSubstr(contract));
}

TEST_F(SubmitOutput, UncreatableFolderGives74) {
  for (const std::string& folder : {job_, job_ + "/below", std::string("/proc/nothing")}) {
    const Ended ended = DlSubmit({"run", job_, "--data-dir", folder});
    EXPECT_EQ(ended.code, kInputOutput) << folder << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("try: ")) << folder;
  }
  // The error must not be "another executor uses this cache folder".
  const Ended executor =
      DlSubmit({"executor", "--master", "dl://127.0.0.1:7", "--cache-dir", job_});
  EXPECT_EQ(executor.code, kInputOutput) << executor.err;
}

TEST_F(SubmitOutput, DeadMasterIsReportedBeforeImport) {
  auto master = StartDlSubmit({"master", "--port", "0", "--data-dir", data_});
  ASSERT_NE(master, nullptr);
  auto ready = ParseJson(master->ReadLine(kTimeout).value_or(""), "ready line");
  DL_ASSERT_OK(ready);
  DL_ASSERT_OK(master->Signal(SIGKILL));
  DL_ASSERT_OK(master->Wait(kTimeout));
  const Ended run = DlSubmit({"submit", job_, "--set", "data.train.path=nowhere.csv", "--json",
                              "--master", "dl://127.0.0.1:" + (*ready)["port"].dump()});
  EXPECT_EQ(run.code, kUnreachable) << run.err;
  EXPECT_NE(run.last["error"]["remedy"], "");
}

TEST_F(SubmitOutput, InterruptedImportIsReported) {
  {
    std::ofstream rows(folder_ / "rows.csv");
    rows << "x,y,label\n";
    for (int i = 0; i < 500'000; ++i) rows << i % 7 << "," << i % 11 << "," << i % 3 << "\n";
  }
  const char* bin = std::getenv("DL_BIN");
  auto run = Spawner::Real().Start(
      {.argv = {"/bin/bash", "-c",
                absl::StrCat("exec ", bin == nullptr ? "build/release/bin" : bin, "/dl-submit run ",
                             job_, " --data-dir ", data_, " 2>&1")},
       .out = ChildOutput::Pipe()});
  DL_ASSERT_OK(run);
  EXPECT_THAT((*run)->ReadLine(kTimeout).value_or(""), HasSubstr("importing"));
  DL_ASSERT_OK((*run)->Signal(SIGINT));
  const std::string said = (*run)->ReadAll(kTimeout, kMaxBytes).value_or("");
  EXPECT_EQ((*run)->Wait(kTimeout)->code, kInterrupted);
  EXPECT_THAT(said, HasSubstr("error: interrupted during the import of data"));
  EXPECT_THAT(said, HasSubstr("try: "));
}

TEST_F(SubmitOutput, ResultIsWrittenOrExitIs74) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "/dev/full is not here";
  const Ended master =
      Shell(absl::StrCat("$DL master --port 0 --data-dir ", data_, " 2>&1 >/dev/full"));
  EXPECT_EQ(master.code, kInputOutput);
  EXPECT_THAT(master.out, HasSubstr("standard output"));
  const Ended program = Shell("$(dirname $DL)/mlp_csv --print-job 2>&1 >/dev/full");
  EXPECT_EQ(program.code, kInputOutput);
  EXPECT_THAT(program.out, HasSubstr("cannot write the job"));
}

TEST_F(SubmitOutput, LogsShowEndOnce) {
  const std::string url = StartMaster();
  ASSERT_EQ(DlSubmit({"submit", job_, "-d", "--master", url}).code, kSuccess);
  ASSERT_EQ(DlSubmit({"cancel", "small-1", "--master", url}).code, kSuccess);
  for (const bool follow : {false, true}) {
    std::vector<std::string> words = {"logs", "small-1", "--json", "--master", url};
    if (follow) words.push_back("-f");
    const std::string said = DlSubmit(words).out;
    const std::string end = R"("type":"result")";
    EXPECT_NE(said.find(end), std::string::npos) << said;
    EXPECT_EQ(said.find(end), said.rfind(end)) << said;
  }
}

TEST_F(SubmitOutput, PausedJobIsShownAndResumed) {
  const std::string url = StartMaster();
  const auto state = [&] {
    return DlSubmit({"status", "small-1", "--json", "--master", url}).last.value("state", "");
  };
  ASSERT_EQ(DlSubmit({"submit", job_, "-d", "--master", url}).code, kSuccess);
  ASSERT_EQ(DlSubmit({"pause", "small-1", "--master", url}).code, kSuccess);
  EXPECT_EQ(state(), "PAUSED");
  const Ended resumed = DlSubmit({"resume", "small-1", "-d", "--master", url});
  EXPECT_EQ(resumed.code, kSuccess);
  EXPECT_NE(state(), "PAUSED") << resumed.out;
}

}  // namespace
}  // namespace dl::cli
