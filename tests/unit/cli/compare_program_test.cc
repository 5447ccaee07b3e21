// The command `compare` as a user runs it, and its text.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/exit_code.h"
#include "cli/output/comparison_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;

class CompareProgram : public testing::Test {
 protected:
  Ended Run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--data-dir", folder_ / "data"});
    return DlSubmit(words);
  }
  void SetUp() override {
    const std::string job = WriteSmallJob(folder_.path());
    ASSERT_EQ(Run({"run", job}).code, kSuccess);
    ASSERT_EQ(Run({"run", job, "--set", "training.epochs=3"}).code, kSuccess);
  }
  const test::TempFolder folder_;
};

TEST_F(CompareProgram, DocumentHasResultsSettingsAndCurves) {
  const Ended ended = Run({"compare", "small-1", "small-2", "small-1", "--json"});
  ASSERT_EQ(ended.code, kSuccess) << ended.err;
  ASSERT_EQ(ended.last["jobs"].size(), 2) << "a job that is named twice counts once";
  EXPECT_EQ(ended.last["jobs"][1], Run({"status", "small-2", "--json"}).last);
  EXPECT_EQ(ended.last["settings"],
            Json::array({{{"path", "training.epochs"}, {"values", {"1", "3"}}}}));
  EXPECT_GT(ended.last["same"], 20);
  const Json history =
      Run({"history", "small-2", "--series", "train/loss,test/loss", "--json"}).last;
  Json curves = Json::array();
  for (Json curve : ended.last["curves"]) {
    if (curve["job"] != "small-2") continue;
    curve.erase("job");
    curves.push_back(std::move(curve));
  }
  EXPECT_EQ(curves, history["curves"]);
}

TEST_F(CompareProgram, TextFitsTerminal) {
  const Ended ended = Run({"compare", "small-1", "small-2"});
  ASSERT_EQ(ended.code, kSuccess) << ended.err;
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(ended.out, '\n')))
    EXPECT_LE(line.size(), 80) << line;
  EXPECT_THAT(ended.out, HasSubstr("a  small-1  SUCCEEDED"));
  EXPECT_THAT(ended.out, HasSubstr("train/loss by round\n"));
  EXPECT_THAT(ended.out, HasSubstr("a small-1   b small-2"));
  EXPECT_THAT(ended.out, HasSubstr("training.epochs  1        3\n"));
}

TEST_F(CompareProgram, UnknownSeriesIsAnErrorThatNamesTheKnownOnes) {
  const Ended unknown = Run({"compare", "small-1", "small-2", "--series", "nope*"});
  EXPECT_EQ(unknown.code, kNotFound);
  EXPECT_THAT(unknown.err, HasSubstr("no job has a series nope*"));
  EXPECT_THAT(unknown.err, HasSubstr("train/loss"));
  EXPECT_EQ(Run({"compare", "small-1", "small-2", "--series", "nope*,train/loss"}).code, kSuccess);
}

TEST_F(CompareProgram, OneJobIsUsageError) {
  const Ended once = Run({"compare", "small-1", "small-1"});
  EXPECT_EQ(once.code, kUsage);
  EXPECT_THAT(once.err, HasSubstr("needs two or more different jobs"));
  EXPECT_EQ(Run({"compare", "small-1", "small-9"}).code, kNotFound);
  EXPECT_EQ(Run({"compare"}).code, kUsage);
}

TEST(ComparisonText, WideSettingsAreList) {
  const Json jobs = {{{"job", "a-1"}, {"state", "RUNNING"}}, {{"job", "b-2"}, {"state", "QUEUED"}}};
  const std::string path = "/srv/" + std::string(60, 'd');
  const Json settings = {{{"path", "data.train.path"}, {"values", {path, "/srv/e"}}}};
  const std::string text =
      ComparisonText({{"jobs", jobs}, {"settings", settings}, {"same", 7}}, {});
  EXPECT_THAT(text, HasSubstr("data.train.path\n  a-1  " + path + "\n  b-2  /srv/e\n"));
  EXPECT_THAT(text, HasSubstr("7 other settings are equal\n"));
}

TEST(ComparisonText, JobsWithoutCurvesHaveNoChart) {
  const Json jobs = {{{"job", "a-1"}}, {{"job", "b-2"}}};
  const std::string text = ComparisonText(
      {{"jobs", jobs}, {"settings", Json::array()}, {"same", 7}},
      {{.job = "a-1", .curves = {}}, {.job = "b-2", .curves = {{.name = "train/loss"}}}});
  EXPECT_THAT(text, testing::Not(HasSubstr("by round")));
  EXPECT_THAT(text, HasSubstr("all 7 settings are equal\n"));
}

}  // namespace
}  // namespace dl::cli
