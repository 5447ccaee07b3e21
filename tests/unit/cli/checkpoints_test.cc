// `checkpoints JOB` for a running job: --now writes a checkpoint, --pin keeps it, --unpin releases
// it.
#include <csignal>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/exit_code.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

// A job without end that writes no checkpoints by itself and keeps only the newest one. A job with
// verification keeps others for rollbacks.
class CheckpointsOnDemand : public testing::Test {
 protected:
  CheckpointsOnDemand()
      : run_(StartDlSubmit(
            {"run", WriteSmallJob(folder_.path()), "--json", "--epochs", "1000000", "--set",
             "training.checkpoint.every_epoch=false", "--set",
             "training.checkpoint.every_seconds=0", "--set", "training.checkpoint.keep_last=1",
             "--set", "training.checkpoint.keep_best=0", "--set", "training.verify_fraction=0",
             "--master", "local-cluster[1]", "--data-dir", data_})) {}

  // Returns the round of the next event of this type.
  int64_t ReadUntil(const std::string& type) {
    for (;;) {
      auto line = run_->ReadLine(kTimeout);
      EXPECT_THAT(line, test::IsOk()) << "before an event " << type;
      if (!line.ok()) return -1;
      const auto event = ParseJson(*line, "event");
      if (event.ok() && event->value("type", "") == type) return event->value("round", int64_t{-1});
    }
  }
  Ended Ask(std::vector<std::string> words) {
    words.insert(words.begin(), {"checkpoints", "small-1"});
    words.insert(words.end(), {"--data-dir", data_});
    return DlSubmit(std::move(words));
  }
  void ExpectDone(const std::vector<std::string>& words, const std::string& message) {
    const Ended ended = Ask(words);
    EXPECT_EQ(ended.code, kSuccess) << ended.err;
    EXPECT_EQ(ended.out, message + "\n");
  }
  // Returns the rounds of all checkpoints, and those of the pinned ones.
  std::pair<std::set<int64_t>, std::set<int64_t>> Listed() {
    const Ended ended = Ask({"--json"});
    EXPECT_EQ(ended.code, kSuccess) << ended.err;
    std::pair<std::set<int64_t>, std::set<int64_t>> rounds;
    for (const absl::string_view line : absl::StrSplit(ended.out, '\n', absl::SkipEmpty())) {
      const Json item = Json::parse(line);
      rounds.first.insert(item.value("round", int64_t{-1}));
      if (item.value("pinned", false)) rounds.second.insert(item.value("round", int64_t{-1}));
    }
    return rounds;
  }

  using Rounds = std::pair<std::set<int64_t>, std::set<int64_t>>;
  test::TempFolder folder_;
  const std::string data_ = folder_ / "data";
  std::unique_ptr<ChildProcess> run_;
};

TEST_F(CheckpointsOnDemand, PinnedCheckpointOutlivesNewerOnes) {
  ASSERT_NE(run_, nullptr);
  ASSERT_GT(ReadUntil("round"), 0);
  EXPECT_EQ(Listed(), Rounds());

  const Ended now = Ask({"--now", "--json"});
  EXPECT_EQ(now.code, kSuccess) << now.err;
  EXPECT_EQ(now.last["job"], "small-1");
  const int64_t first = ReadUntil("checkpoint");
  ASSERT_GT(first, 0);
  EXPECT_EQ(now.last["message"], absl::StrCat("small-1 writes a checkpoint of round ", first));
  EXPECT_EQ(Listed(), Rounds({first}, {}));

  const std::string name = absl::StrCat("small-1@", first);
  ExpectDone({"--pin", absl::StrCat(first)}, name + " is kept");
  EXPECT_EQ(Listed(), Rounds({first}, {first}));
  EXPECT_EQ(Ask({"--now"}).code, kSuccess);
  const int64_t second = ReadUntil("checkpoint");
  ASSERT_GT(second, first);
  EXPECT_EQ(Listed(), Rounds({first, second}, {first}));

  ExpectDone({"--unpin", absl::StrCat(first)}, name + " is no longer kept");
  EXPECT_EQ(Listed(), Rounds({second}, {}));
  DL_ASSERT_OK(run_->Signal(SIGTERM));
  DL_ASSERT_OK(run_->ReadAll(kTimeout, 1 << 28));
  EXPECT_EQ(run_->Wait(kTimeout)->code, kTerminated);
}

}  // namespace
}  // namespace dl::cli
