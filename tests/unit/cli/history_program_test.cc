// The command `history` as a user runs it.
#include "tests/support/temp_folder.h"

#include "absl/strings/str_split.h"
#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
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

}  // namespace
}  // namespace dl::cli
