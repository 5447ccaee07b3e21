// The command `top` on a terminal and without one, and its lines.
#include <signal.h>

#include "absl/strings/str_cat.h"
#include "base/process.h"
#include "cli/exit_code.h"
#include "cli/output/top_lines.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/pseudo_terminal.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr char kEntered[] = "\x1b[?1049h";
constexpr char kLeft[] = "\x1b[0m\x1b[?25h\x1b[?1049l";

class TopProgram : public testing::Test {
 protected:
  // Starts a master with a job that waits for executors.
  void SetUp() override {
    master_ = StartDlSubmit({"master", "--port", "0", "--data-dir", folder_ / "data"});
    const auto line = master_->ReadLine(kTimeout);
    DL_ASSERT_OK(line);
    url_ = Json::parse(*line).value("url", "");
    ASSERT_EQ(DlSubmit({"submit", WriteSmallJob(folder_.path()), "-d", "--master", url_}).code,
              kSuccess);
  }
  // Starts a command on the terminal.
  std::unique_ptr<ChildProcess> Start(const std::string& words,
                                      std::vector<std::string> environment = {}) const {
    const char* bin = std::getenv("DL_BIN");
    environment.insert(environment.begin(), {"HOME=" + folder_.path(), "TERM=xterm"});
    auto started = Spawner::Real().Start(
        {.argv = {"/bin/sh", "-c",
                  absl::StrCat("exec ", bin == nullptr ? "build/release/bin" : bin, "/dl-submit ",
                               words, " --master ", url_, " <", terminal_.device(), " >",
                               terminal_.device())},
         .env = std::move(environment)});
    EXPECT_TRUE(started.ok()) << started.status();
    return *std::move(started);
  }

  test::TempFolder folder_;
  std::unique_ptr<ChildProcess> master_;
  std::string url_;
  PseudoTerminal terminal_{80, 24};
};

TEST_F(TopProgram, KeyQLeavesTerminalAsBefore) {
  const auto top = Start("top");
  ASSERT_TRUE(terminal_.ReadUntil("small-1  QUEUED", 1)) << terminal_.text();
  EXPECT_THAT(terminal_.text(), HasSubstr(kEntered));
  EXPECT_FALSE(terminal_.HasLineMode());
  terminal_.Type("s");
  ASSERT_TRUE(terminal_.ReadUntil("s: sort (by speed)", 1));
  terminal_.Type("xq");
  const auto ended = top->Wait(kTimeout);
  DL_ASSERT_OK(ended);
  EXPECT_EQ(ended->code, 0);
  terminal_.ReadRest();
  EXPECT_TRUE(terminal_.text().ends_with(kLeft)) << terminal_.text();
  EXPECT_TRUE(terminal_.HasLineMode());
}

TEST_F(TopProgram, SignalLeavesTerminalAsBefore) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const auto top = Start("top");
    ASSERT_TRUE(terminal_.ReadAgainUntil("small-1  QUEUED"));
    DL_ASSERT_OK(top->Signal(signal));
    const auto ended = top->Wait(kTimeout);
    DL_ASSERT_OK(ended);
    EXPECT_EQ(ended->code, 128 + signal);
    terminal_.ReadRest();
    EXPECT_TRUE(terminal_.text().ends_with(kLeft));
    EXPECT_TRUE(terminal_.HasLineMode());
  }
}

TEST_F(TopProgram, ScreenFollowsSizeOfTerminal) {
  const auto top = Start("top");
  ASSERT_TRUE(terminal_.ReadUntil("small-1  QUEUED", 1));
  terminal_.Resize(20, 9);
  // The title has 20 characters, and the note is on line 9.
  ASSERT_TRUE(terminal_.ReadAgainUntil("\x1b[7mjobs: 1 waiting   ex\x1b[0m\x1b[K\r\n"))
      << terminal_.text();
  const std::string note = "q: end   s: sort (by\x1b[0m\x1b[K\x1b[J";
  ASSERT_TRUE(terminal_.ReadUntil(note, 2));
  const size_t end = terminal_.text().rfind(note), begin = terminal_.text().rfind("\x1b[H", end);
  EXPECT_EQ(std::ranges::count(terminal_.text().substr(begin, end - begin), '\n'), 8);
  terminal_.Type("q");
  DL_EXPECT_OK(top->Wait(kTimeout));
}

TEST_F(TopProgram, EndOfMasterIsReported) {
  const auto top = Start("top");
  ASSERT_TRUE(terminal_.ReadUntil("small-1  QUEUED", 1));
  DL_ASSERT_OK(master_->Signal(SIGKILL));
  ASSERT_TRUE(terminal_.ReadUntil("the master does not answer, trying on", 1));
  EXPECT_THAT(terminal_.text().substr(terminal_.text().rfind("\x1b[H")), HasSubstr("small-1"))
      << "the last documents stay";
  terminal_.Type("q");
  DL_EXPECT_OK(top->Wait(kTimeout));
}

TEST_F(TopProgram, WithoutTerminalTablesArePrintedOnce) {
  const Ended piped = DlSubmit({"top", "--master", url_});
  EXPECT_EQ(piped.code, kSuccess) << piped.err;
  EXPECT_THAT(piped.out, HasSubstr("small-1  QUEUED"));
  EXPECT_THAT(piped.out, Not(HasSubstr("\x1b")));
  const auto dumb = Start("top", {"TERM=dumb"});
  DL_ASSERT_OK(dumb->Wait(kTimeout));
  terminal_.ReadRest();
  EXPECT_THAT(terminal_.text(), HasSubstr("small-1  QUEUED"));
  EXPECT_THAT(terminal_.text(), Not(HasSubstr("\x1b")));
}

// `status --watch` clears the screen with control sequences that are not escaped.
TEST_F(TopProgram, WatchedStatusClearsScreen) {
  const auto status = Start("status --watch");
  ASSERT_TRUE(terminal_.ReadUntil("\x1b[H\x1b[2Jmaster dl://", 2)) << terminal_.text();
  EXPECT_THAT(terminal_.text(), Not(HasSubstr("\\u001b")));
  DL_ASSERT_OK(status->Signal(SIGINT));
  DL_EXPECT_OK(status->Wait(kTimeout));
}

Json JobNamed(const std::string& name, const std::string& state, int64_t submitted) {
  return {{"job", name},
          {"state", state},
          {"rounds", 25},
          {"rounds_total", 100},
          {"examples", 250},
          {"examples_per_second", 1000.0 / static_cast<double>(submitted)},
          {"submitted_unix_ms", submitted},
          {"metrics", {{"train", {{"loss", 0.5}}}}},
          {"units", {{{"leased_to", {"node1-7"}}}}},
          {"reason", ""}};
}

Json ClusterWith(int executors) {
  Json all = Json::array();
  for (int i = 1; i <= executors; ++i)
    all.push_back({{"executor", absl::StrCat("node", i, "-7")}, {"slots", 2}});
  return {{"executors", all}};
}

std::vector<std::string> FirstWords(const std::vector<ScreenLine>& lines, size_t from) {
  std::vector<std::string> words;
  for (size_t i = from; i < lines.size(); ++i)
    words.push_back(lines[i].text.substr(0, lines[i].text.find(' ')));
  return words;
}

TEST(TopLines, JobsAreSorted) {
  const Json jobs = {JobNamed("d", "SUCCEEDED", 9), JobNamed("c", "QUEUED", 2),
                     JobNamed("a", "RUNNING", 3), JobNamed("b", "RUNNING", 4),
                     JobNamed("e", "PAUSED", 5)};
  const auto sorted = [&](JobOrder order) {
    return FirstWords(TopLines(ClusterWith(0), jobs, {.where = "x", .order = order}), 5);
  };
  EXPECT_THAT(sorted(JobOrder::kActivity), ElementsAre("b", "a", "c", "e", "d"));
  EXPECT_THAT(sorted(JobOrder::kSpeed), ElementsAre("a", "b", "c", "e", "d"));
  EXPECT_THAT(sorted(JobOrder::kName), ElementsAre("a", "b", "c", "d", "e"));
}

TEST(TopLines, RowsHaveFigures) {
  Json cluster = ClusterWith(2);
  cluster["executors"][1]["quarantined"] = true;
  const std::vector<ScreenLine> lines =
      TopLines(cluster, Json::array({JobNamed("a", "RUNNING", 2)}), {.where = "dl://h:1"});
  ASSERT_EQ(lines.size(), 8);
  EXPECT_EQ(lines[0].text, "jobs: 1 running   executors: 2 with 4 slots   dl://h:1");
  EXPECT_EQ(lines[3].text, "node2-7   2      0      0.0 s ago  quarantined");
  EXPECT_EQ(lines[3].style, LineStyle::kTrouble);
  EXPECT_EQ(lines[4].text, "node1-7   2      1      0.0 s ago  ready        a");
  EXPECT_EQ(lines[7].text, "a    RUNNING  25 %  25/100  0.5000  500   0:00  0:02");
}

TEST(TopLines, ScreenIsNeverExceeded) {
  for (const size_t screen : {8, 10, 24}) {
    for (const int executors : {0, 1, 5, 100}) {
      for (const int count : {0, 1, 5, 100}) {
        Json jobs = Json::array();
        for (int i = 0; i < count; ++i) jobs.push_back(JobNamed(absl::StrCat(i), "RUNNING", i + 1));
        const std::vector<ScreenLine> lines =
            TopLines(ClusterWith(executors), jobs, {.where = "x", .lines = screen, .note = "note"});
        EXPECT_EQ(lines.size(), screen) << executors << " executors, " << count << " jobs";
        EXPECT_EQ(lines.back().text, "note");
      }
    }
  }
  Json jobs = Json::array();
  for (int i = 0; i < 100; ++i) jobs.push_back(JobNamed(absl::StrCat(i), "RUNNING", i + 1));
  const auto lines = TopLines(ClusterWith(100), jobs, {.where = "x", .lines = 24, .note = "note"});
  EXPECT_EQ(lines[8].text, "... 95 more executors");
  EXPECT_EQ(lines[22].text, "... 89 more jobs");
}

TEST(TopLines, LongNamesAndHugeLossesFitTheScreen) {
  Json job = JobNamed(std::string(80, 'j') + "-17", "RUNNING", 2);
  job["metrics"]["train"]["loss"] = 1.25e30;
  Json cluster = ClusterWith(1);
  cluster["executors"][0]["executor"] = std::string(120, 'e') + "-9";
  const auto lines = TopLines(cluster, Json::array({job}), {.where = "x", .columns = 80});
  for (const ScreenLine& line : lines)
    EXPECT_EQ(CutToColumns(line.text, 80), line.text) << "cut by the screen";
  EXPECT_THAT(lines[3].text, HasSubstr("e…eee"));
  EXPECT_THAT(lines.back().text, HasSubstr("-17  RUNNING"));
  EXPECT_THAT(lines.back().text, HasSubstr("1.250e+30"));
  const auto wide = TopLines(cluster, Json::array({job}), {.where = "x", .columns = 200});
  EXPECT_THAT(wide.back().text, HasSubstr(std::string(80, 'j') + "-17"));
}

TEST(CutToColumns, CountsCharacters) {
  EXPECT_EQ(CutToColumns("abc", 2), "ab");
  EXPECT_EQ(CutToColumns("\u00e4\u00f6\u00fc", 2), "\u00e4\u00f6");
  EXPECT_EQ(CutToColumns("abc", 3), "abc");
}

}  // namespace
}  // namespace dl::cli
