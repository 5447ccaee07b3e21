// The command `tensorboard` as a user runs it. An independent program reads its files.
#include <signal.h>

#include <filesystem>
#include <map>

#include "absl/strings/match.h"
#include "base/files.h"
#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "launch/pause.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"
#include "tests/unit/cli/tensorboard_events.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;

class TensorBoardProgram : public testing::Test {
 protected:
  Ended Run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--data-dir", folder_ / "D"});
    return DlSubmit(words);
  }
  // Writes the small job with other settings of its training. Returns its path.
  std::string Job(const Json& training) const {
    const std::string small = WriteSmallJob(folder_.path());
    Json spec = *ParseJson(ReadFile(small, 1 << 20).value_or(""), "job");
    spec["training"].update(training);
    return folder_.Write("changed.json", spec.dump());
  }
  // Runs the job until the process is killed in its first third.
  void RunAndKill(const Json& training) const {
    const Ended killed = DlSubmit({"run", Job(training), "--data-dir", folder_ / "D"},
                                  {"DL_FAIL_POINTS=master.durable=kill@40"});
    EXPECT_EQ(killed.code, 128 + SIGKILL) << killed.err;
  }

  // Returns the only file of the job's run.
  std::string OnlyFile() const {
    const std::vector<std::string> files = FilesIn(folder_ / "runs/small-1");
    EXPECT_EQ(files.size(), 1);
    return files.empty() ? "" : files.front();
  }
  // Expects that the scalars of the events are the values of `history`, and that steps and times
  // ascend. Returns the number of rounds.
  int64_t ExpectHistory(const std::vector<Json>& events) const {
    const Json history =
        Run({"history", "small-1", "--series", "*", "--points", "1000", "--json"}).last;
    std::map<int64_t, std::map<std::string, float>> expected, found;
    for (const Json& curve : history["curves"]) {
      EXPECT_EQ(curve["step"], 1);
      for (size_t i = 0; i < curve["mean"].size(); ++i) {
        if (curve["mean"][i].is_number()) {
          expected[curve["first"].get<int64_t>() + static_cast<int64_t>(i)][curve["name"]] =
              curve["mean"][i].get<float>();
        }
      }
    }
    int64_t step = 0;
    double time = 0;
    for (const Json& event : events) {
      if (!event.contains("scalars")) continue;
      EXPECT_EQ(event["step"].get<int64_t>(), step + 1);
      step = event["step"].get<int64_t>();
      EXPECT_GE(event["wall_time"].get<double>(), time);
      time = event["wall_time"].get<double>();
      for (const auto& [tag, value] : event["scalars"].items())
        found[step][tag] = value.get<float>();
    }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(step, history["rounds"].get<int64_t>());
    const Json job = Run({"status", "small-1", "--json"}).last;
    EXPECT_GE(time, job["submitted_unix_ms"].get<double>() / 1e3);
    EXPECT_LE(time, job["ended_unix_ms"].get<double>() / 1e3);
    return step;
  }

  const test::TempFolder folder_;
};

TEST_F(TensorBoardProgram, FileHasValuesOfHistory) {
  ASSERT_EQ(Run({"run", Job({{"epochs", 20}})}).code, kSuccess);
  const Ended written = Run({"tensorboard", "small-1", "-o", folder_ / "runs", "--json"});
  ASSERT_EQ(written.code, kSuccess) << written.err;
  EXPECT_EQ(written.last["file"], OnlyFile());
  EXPECT_EQ(written.last["rounds"], 60);
  const std::vector<Json> events = ReadEventFile(OnlyFile());
  EXPECT_EQ(ExpectHistory(events), 60);
  ASSERT_GT(events.size(), 6);
  EXPECT_EQ(events[0].value("version", ""), "brain.Event:2");
  EXPECT_EQ(events[1].value("session", 0), 1);
  EXPECT_THAT(events[2]["texts"].value("settings", ""),
              HasSubstr("| training.averaging_frequency | `2` |\n"));
  EXPECT_THAT(events[3]["texts"].value("spec", ""), HasSubstr("\"averaging_frequency\": 2,\n"));
  const Json hparams = events[4]["hparams"]["_hparams_/session_start_info"];
  EXPECT_EQ(hparams.value("group", ""), "small-1");
  EXPECT_EQ(hparams["settings"]["training.averaging_frequency"], 2);
  EXPECT_EQ(hparams["settings"]["name"], "small");
  EXPECT_EQ(events.back()["hparams"]["_hparams_/session_end_info"]["status"], 1);
}

// Each picture has the value of its class in all pixels.
TEST_F(TensorBoardProgram, PicturesAreExamplesOfTheTrainingSet) {
  constexpr int kExamples = 20, kClasses = 4, kWidth = 3, kHeight = 2;
  std::string pixels, labels;
  for (int i = 0; i < kExamples; ++i) {
    pixels += std::string(kWidth * kHeight, static_cast<char>(50 * (i % kClasses)));
    labels += static_cast<char>(i % kClasses);
  }
  folder_.Write("train-images-idx3-ubyte",
                std::string("\0\0\x08\x03\0\0\0\x14\0\0\0\x02\0\0\0\x03", 16) + pixels);
  folder_.Write("train-labels-idx1-ubyte", std::string("\0\0\x08\x01\0\0\0\x14", 8) + labels);
  const Ended run = Run({"run", "mlp", "--train", folder_ / "train-images-idx3-ubyte", "--epochs",
                         "1", "--name", "small"});
  ASSERT_EQ(run.code, kSuccess) << run.err;
  ASSERT_EQ(Run({"tensorboard", "small-1", "-o", folder_ / "runs"}).code, kSuccess);
  std::vector<Json> pictures;
  for (const Json& event : ReadEventFile(OnlyFile())) {
    if (event.contains("images")) pictures.push_back(event);
  }
  ASSERT_EQ(pictures.size(), 1) << "they are written once";
  EXPECT_EQ(pictures[0]["step"], 0);
  const Json& examples = pictures[0]["images"]["train/examples"];
  EXPECT_EQ(examples["width"], kWidth);
  EXPECT_EQ(examples["height"], kHeight);
  ASSERT_EQ(examples["pixels"].size(), 16);
  std::string description = "Examples of the training set. Labels, in this order: ";
  for (const Json& picture : examples["pixels"]) {
    const int value = picture[0][0];
    for (const Json& line : picture) EXPECT_EQ(line, Json(std::vector<int>(kWidth, value)));
    description += (description.ends_with(' ') ? "`" : ", `") + std::to_string(value / 50) + "`";
  }
  EXPECT_EQ(examples["description"], description);
}

TEST_F(TensorBoardProgram, NextFileReplacesFile) {
  ASSERT_EQ(Run({"run", WriteSmallJob(folder_.path())}).code, kSuccess);
  const std::vector<std::string> words = {"tensorboard", "small-1", "-o", folder_ / "runs"};
  const Ended first = Run(words);
  ASSERT_EQ(first.code, kSuccess) << first.err;
  EXPECT_THAT(first.out, HasSubstr("Wrote 3 rounds of small-1 to "));
  const std::string file = OnlyFile();
  const std::string bytes = ReadFile(file, 1 << 20).value_or("");
  folder_.Write(file.substr(folder_.path().size() + 1), bytes.substr(0, bytes.size() - 7));
  ASSERT_EQ(Run(words).code, kSuccess);
  EXPECT_GT(OnlyFile(), file) << "TensorBoard reads later names as later parts of a run";
  EXPECT_EQ(ReadFile(OnlyFile(), 1 << 20).value_or(""), bytes);
  EXPECT_EQ(Run({"tensorboard", "small-2", "-o", folder_ / "runs"}).code, kNotFound);
  folder_.Write("taken", "");
  const Ended taken = Run({"tensorboard", "small-1", "-o", folder_ / "taken"});
  EXPECT_EQ(taken.code, kInputOutput) << taken.err;
}

TEST_F(TensorBoardProgram, KilledJobHasEachRoundOnce) {
  RunAndKill({{"epochs", 40}});
  ASSERT_EQ(Run({"tensorboard", "small-1", "-o", folder_ / "runs"}).code, kSuccess);
  const int64_t number = NumberOfEventFile(OnlyFile());
  EXPECT_GT(ReadEventFile(OnlyFile()).size(), 10);
  const Ended ended = Run({"tensorboard", "small-1", "-o", folder_ / "runs", "--follow"});
  ASSERT_EQ(ended.code, kSuccess) << ended.err;
  EXPECT_EQ(NumberOfEventFile(OnlyFile()), number + 1) << "new rounds are appended";
  EXPECT_EQ(ExpectHistory(ReadEventFile(OnlyFile())), 40 * 3);
}

TEST_F(TensorBoardProgram, RunWritesFileWhileItTrains) {
  const Ended ended = Run({"run", Job({{"epochs", 20}}), "--tensorboard", folder_ / "runs"});
  ASSERT_EQ(ended.code, kSuccess) << ended.err;
  EXPECT_EQ(ExpectHistory(ReadEventFile(OnlyFile())), 60);
  folder_.Write("taken", "");
  const Ended taken = Run({"run", Job({{"epochs", 1}}), "--tensorboard", folder_ / "taken"});
  EXPECT_EQ(taken.code, kSuccess) << "the job does not depend on the file";
  EXPECT_THAT(taken.err, HasSubstr("warning: "));
  const Ended batch =
      DlSubmit({"run", Job({{"epochs", 1}}), "--master", "slurm[2]", "--tensorboard", "runs"});
  EXPECT_EQ(batch.code, kUsage);
}

// Another program sees rounds in the file while the job still trains.
TEST_F(TensorBoardProgram, FileGrowsWhileRunTrains) {
  auto run = StartDlSubmit({"run", Job({{"epochs", 1'000'000}}), "--tensorboard", folder_ / "runs",
                            "--data-dir", folder_ / "D"});
  const std::string folder = folder_ / "runs/small-1";
  const Instant limit = Clock::Real().Now() + kTimeout;
  size_t events = 0;
  while (events < 20 && Clock::Real().Now() < limit) {
    std::error_code none;
    launch::Pause(std::chrono::milliseconds(100));
    if (!std::filesystem::exists(folder, none)) continue;
    // TensorBoard too reads only files of this name: a file that `run` has not finished is not
    // read.
    for (const std::string& file : FilesIn(folder)) {
      if (absl::StrContains(file, "tfevents")) events = ReadEventFile(file).size();
    }
  }
  EXPECT_GE(events, 20);
  DL_EXPECT_OK(run->Signal(SIGINT));
  const auto ended = run->Wait(kTimeout);
  DL_ASSERT_OK(ended);
  EXPECT_EQ(ended->code, 128 + SIGINT);
}

// A job with an outer optimizer computes the rounds since its last checkpoint again.
TEST_F(TensorBoardProgram, RoundsComputedAgainAreInFileOnce) {
  RunAndKill({{"epochs", 40},
              {"strategy", {{"type", "outer"}}},
              {"checkpoint", {{"every_epoch", false}, {"every_rounds", 9}}}});
  const Ended ended = Run({"tensorboard", "small-1", "-o", folder_ / "runs", "--follow"});
  ASSERT_EQ(ended.code, kSuccess) << ended.err;
  EXPECT_GT(Run({"status", "small-1", "--json"}).last["replayed_rounds"], 0);
  EXPECT_EQ(ExpectHistory(ReadEventFile(OnlyFile())), 40 * 3);
}

}  // namespace
}  // namespace dl::cli
