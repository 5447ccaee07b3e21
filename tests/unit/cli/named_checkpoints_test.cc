// Commands take checkpoints by the names `best` and `last`.
#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;

TEST(NamedCheckpoints, BestAndLastNameCheckpoints) {
  const test::TempFolder folder;
  const std::string job = WriteSmallJob(folder.path());
  const auto run_command = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--data-dir", folder / "data"});
    return DlSubmit(std::move(words));
  };
  // At this learning rate the test loss only grows, so the first epoch is the best.
  const Ended run = run_command({"run", job, "--epochs", "30", "--json", "--set",
                                 "model.updater.learning_rate=100", "--set",
                                 R"(training.early_stopping={"patience":2})"});
  ASSERT_EQ(run.code, kSuccess) << run.err;
  ASSERT_EQ(run.last["reason"], "early_stopping") << run.out;
  const std::string last = run.last["checkpoint"], best = run.last["best"]["checkpoint"];
  EXPECT_NE(last, best);
  const auto named = [&](const std::string& name) -> std::string {
    return run_command({"inspect", name, "--json"}).last.value("checkpoint", "");
  };
  EXPECT_EQ(named("small-1@best"), best);
  EXPECT_EQ(named("small-1@last"), last);
  EXPECT_THAT(run_command({"export", "small-1@best", "-o", folder / "x.npz"}).out, HasSubstr(best));
  EXPECT_EQ(run_command({"evaluate", "small-1@best", "--json"}).last["checkpoint"], best);
  EXPECT_THAT(run_command({"checkpoints", "small-1", "--pin", "best"}).out,
              HasSubstr(best + " is kept"));
  EXPECT_EQ(run_command({"checkpoints", "small-1", "--pin", "bset"}).code, kUsage);
  const Ended next = run_command({"run", job, "--init-from", "small-1@best", "--json"});
  EXPECT_EQ(next.code, kSuccess) << next.err;
  const Ended other = run_command({"run", job, "--set", "data.test=null", "--name", "blind"});
  EXPECT_EQ(other.out.find("evaluate"), std::string::npos) << other.out;
  EXPECT_EQ(run_command({"inspect", "blind-3@best"}).code, kNotFound);
  const Ended nothing = run_command({"evaluate", "blind-3"});
  EXPECT_EQ(nothing.code, kFailed) << nothing.err;
  const Ended refused = run_command({"delete", "small-1"});
  EXPECT_EQ(refused.code, kFailed);
  EXPECT_THAT(refused.err, HasSubstr(best + " is pinned"));
  EXPECT_THAT(refused.err, HasSubstr("delete --pinned"));
  EXPECT_EQ(run_command({"delete", "--pinned", "small-1"}).code, kSuccess);
}

}  // namespace
}  // namespace dl::cli
