// The command `history` as a user runs it.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;

TEST(HistoryProgram, FiguresAreThoseOfEpochEvents) {
  const test::TempFolder folder;
  const std::string job = WriteSmallJob(folder.path());
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--data-dir", folder / "data"});
    return DlSubmit(words);
  };
  const Ended trained = run({"run", job, "--json"});
  ASSERT_EQ(trained.code, kSuccess) << trained.err;
  Json epochs = Json::array();
  for (const absl::string_view line : absl::StrSplit(trained.out, '\n', absl::SkipEmpty())) {
    const Json event = Json::parse(line);
    if (event["type"] == "epoch") epochs.push_back(event["train"]);
  }
  ASSERT_FALSE(epochs.empty());
  const Json history = run({"history", "small-1", "--json"}).last;
  ASSERT_EQ(history["epochs"].size(), epochs.size());
  for (size_t i = 0; i < epochs.size(); ++i) EXPECT_EQ(history["epochs"][i]["train"], epochs[i]);
  const std::string csv = run({"history", "small-1", "--csv"}).out;
  EXPECT_THAT(csv, HasSubstr("epoch,round,train_loss"));
  EXPECT_THAT(csv, HasSubstr("," + epochs.back()["loss"].dump()));
  const std::string text = run({"history", "small-1", "--metric", "loss"}).out;
  EXPECT_THAT(text, HasSubstr(". train loss"));
  const Ended unknown = run({"history", "small-1", "--metric", "los"});
  EXPECT_EQ(unknown.code, kNotFound);
  EXPECT_THAT(unknown.err, HasSubstr("try: Use one of loss"));
  EXPECT_EQ(run({"history", "small-1", "--csv", "--json"}).code, kUsage);
}

// The newest values of the series of classes are the figures that `evaluate` computes.
TEST(HistoryProgram, FiguresOfClassesAreThoseOfAnEvaluation) {
  const test::TempFolder folder;
  const std::string job = WriteSmallJob(folder.path());
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--data-dir", folder / "data"});
    return DlSubmit(words);
  };
  ASSERT_EQ(run({"run", job, "--epochs", "2"}).code, kSuccess);
  const Json classes = run({"evaluate", "small-1", "--json"}).last["classes"];
  const Json answer = run({"history", "small-1", "--series", "class/*", "--json"}).last;
  ASSERT_EQ(answer["curves"].size(), 3 * classes.size());
  size_t next = 0;
  for (const Json& one : classes) {
    for (const char* figure : {"precision", "recall", "f1"}) {
      const Json& curve = answer["curves"][next++];
      EXPECT_EQ(curve["name"], "class/" + std::to_string((next - 1) / 3) + "/" + figure);
      EXPECT_FLOAT_EQ(curve["mean"].back().get<float>(), one[figure].get<float>());
    }
  }
}

TEST(HistoryProgram, SeriesAreFiguresByRound) {
  const test::TempFolder folder;
  const std::string job = WriteSmallJob(folder.path());
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--data-dir", folder / "data"});
    return DlSubmit(words);
  };
  const Ended trained = run({"run", job, "--json"});
  ASSERT_EQ(trained.code, kSuccess) << trained.err;
  const int64_t rounds = trained.last["rounds"].get<int64_t>();
  const Json answer = run({"history", "small-1", "--series", "train/loss,layer/*", "--json"}).last;
  EXPECT_EQ(answer["rounds"], rounds);
  ASSERT_GT(answer["curves"].size(), 4);
  for (const Json& curve : answer["curves"]) {
    EXPECT_EQ(static_cast<int64_t>(curve["mean"].size()), rounds) << curve["name"];
  }
  EXPECT_TRUE(answer["curves"][0]["mean"][0].is_number());
  const std::string csv =
      run({"history", "small-1", "--series", "learning_rate", "--rounds", "1-2", "--csv"}).out;
  EXPECT_THAT(csv, testing::StartsWith("round,learning_rate\n1,"));
  const Ended unknown = run({"history", "small-1", "--series", "los"});
  EXPECT_EQ(unknown.code, kNotFound);
  EXPECT_THAT(unknown.err, HasSubstr("Its series are: train/loss"));
  EXPECT_EQ(run({"history", "small-1", "--rounds", "1-2"}).code, kUsage);
  EXPECT_EQ(run({"history", "small-1", "--series", "*", "--rounds", "x"}).code, kUsage);
  EXPECT_EQ(run({"history", "small-1", "--series", "*", "--points", "1"}).code, kUsage);
  std::string many = "loss";
  for (int i = 0; i < 300; ++i) absl::StrAppend(&many, ",", i);
  const Ended too_many = run({"history", "small-1", "--series", many});
  EXPECT_EQ(too_many.code, kUsage) << "the master refuses the value of the flag";
  EXPECT_THAT(too_many.err, HasSubstr("--series"));
}

}  // namespace
}  // namespace dl::cli
