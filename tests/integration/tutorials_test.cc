// Runs the commands of the tutorials as a reader does, and checks what they are said to give.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/process.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::test {
namespace {

using testing::HasSubstr;

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Returns the lines of all blocks that begin with ```sh.
std::string CommandsOf(const std::string& document) {
  std::string commands;
  bool inside = false;
  for (const absl::string_view line : absl::StrSplit(document, '\n')) {
    if (absl::StartsWith(line, "```")) {
      inside = line == "```sh";
    } else if (inside) {
      absl::StrAppend(&commands, line, "\n");
    }
  }
  return commands;
}

class Tutorials : public testing::Test {
 protected:
  // Runs all commands of a tutorial in an empty folder and returns their output.
  std::string Run(const std::string& name) {
    const std::string commands = CommandsOf(TextOf(absl::StrCat(DL_TUTORIALS, "/", name, ".md")));
    EXPECT_THAT(commands, HasSubstr("dl-submit run"));
    folder_.Write("commands.sh", commands);
    const std::string bin = std::filesystem::absolute(Binary("dl-submit")).parent_path().string();
    const auto child = Spawner::Real().Start(
        {.argv = {"sh", "-c", "cd \"$1\" && PATH=\"$2:$PATH\" exec sh -eu commands.sh 2>&1", "sh",
                  folder_.path(), bin},
         .env = {"HOME=" + folder_.path()},
         .out = ChildOutput::File(folder_ / "output.txt"),
         .err = ChildOutput::Discard(),
         .in = {}});
    DL_EXPECT_OK(child);
    if (!child.ok()) return "";
    const StatusOr<ExitStatus> end = (*child)->Wait(std::chrono::minutes(10));
    const std::string output = TextOf(folder_ / "output.txt");
    EXPECT_TRUE(end.ok() && *end == ExitStatus{}) << output;
    return output;
  }
  // Returns the lines of a file of the folder.
  std::vector<std::string> Lines(const std::string& name) {
    return absl::StrSplit(TextOf(folder_ / name), '\n', absl::SkipEmpty());
  }

  const TempFolder folder_;
};

TEST_F(Tutorials, TablePredictsDemandWithSameBitsOnCluster) {
  const std::string output = Run("table");
  const std::vector<std::string> predictions = Lines("predictions.csv");
  ASSERT_EQ(predictions.size(), 3u);
  double cold_morning = 0, warm_evening = 0;  // the formula of the tutorial gives 660 and 460
  ASSERT_TRUE(absl::SimpleAtod(predictions[1].substr(2), &cold_morning)) << predictions[1];
  ASSERT_TRUE(absl::SimpleAtod(predictions[2].substr(2), &warm_evening)) << predictions[2];
  EXPECT_NEAR(cold_morning, 660, 40);
  EXPECT_NEAR(warm_evening, 460, 40);
  std::set<std::string> states;
  int jobs = 0;
  for (const absl::string_view line : absl::StrSplit(output, '\n')) {
    if (!absl::StartsWith(line, "state_sha256 ")) continue;
    states.emplace(line);
    ++jobs;
  }
  EXPECT_EQ(jobs, 2);
  EXPECT_EQ(states.size(), 1u) << output;
}

TEST_F(Tutorials, ImagesAreClassified) {
  Run("images");
  const std::vector<std::string> predictions = Lines("predictions.csv");
  ASSERT_GT(predictions.size(), 500u);
  // The name of each file is its class: new/boot-8018.png
  const auto correct = std::ranges::count_if(predictions, [](const std::string& line) {
    const std::vector<std::string> fields = absl::StrSplit(line, ',');
    return fields.size() > 2 && absl::StartsWith(fields[1], absl::StrCat("new/", fields[2], "-"));
  });
  EXPECT_GT(correct, static_cast<int64_t>(predictions.size() * 95 / 100));
  EXPECT_GT(TextOf(folder_ / "lenet_a.safetensors").size(), 1'000'000u);
}

TEST_F(Tutorials, TextIsWrittenAndTrainingContinues) {
  const std::string output = Run("text");
  EXPECT_THAT(TextOf(folder_ / "written.txt"), testing::StartsWith("You may "));
  EXPECT_GE(TextOf(folder_ / "written.txt").size(), 128u);
  EXPECT_THAT(output, HasSubstr("char_lstm-2  SUCCEEDED"));
}

}  // namespace
}  // namespace dl::test
