// A job whose process is killed repeatedly is no longer continued by other commands.
#include <signal.h>

#include <fstream>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fake_system.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;

class KilledJob : public testing::Test {
 protected:
  // A job that trains longer than a test runs.
  std::string LongJob() const {
    const std::string small = WriteSmallJob(folder_.path());
    Json spec = *ParseJson(ReadFile(small, 1 << 20).value_or(""), "job");
    spec["name"] = "long";
    spec["training"]["epochs"] = 1'000'000;
    return folder_.Write("long.json", spec.dump());
  }
  // Starts the command and kills it once it computes.
  void KillWhileItComputes(std::vector<std::string> words) const {
    words.insert(words.end(), {"--json", "--data-dir", data_dir_});
    const auto child = StartDlSubmit(words);
    ASSERT_NE(child, nullptr);
    for (bool computes = false; !computes;) {
      const auto line = child->ReadLine(kTimeout);
      ASSERT_TRUE(line.ok()) << line.status();
      computes = line->find("\"epoch\"") != std::string::npos;
    }
    ASSERT_TRUE(child->Signal(SIGKILL).ok());
    EXPECT_EQ(child->Wait(kTimeout)->signal, SIGKILL);
  }
  Json Job(const std::string& id) const {
    return DlSubmit({"status", id, "--json", "--data-dir", data_dir_}).last;
  }

  const test::TempFolder folder_;
  const std::string data_dir_ = folder_ / "D";
};

TEST_F(KilledJob, ThreeKillsFailOnlyTheJob) {
  KillWhileItComputes({"run", LongJob()});
  for (int i = 0; i < 2; ++i) {
    EXPECT_NE(Job("long-1").value("state", ""), "FAILED");
    KillWhileItComputes({"attach", "long-1"});
  }
  const Ended other = DlSubmit({"run", WriteSmallJob(folder_.path()), "--data-dir", data_dir_});
  EXPECT_EQ(other.code, kSuccess) << other.err;
  EXPECT_THAT(other.err, testing::Not(HasSubstr("goes on here too")));
  const Json job = Job("long-1");
  EXPECT_EQ(job.value("state", ""), "FAILED") << job.dump();
  EXPECT_EQ(job.value("reason", ""), "process_killed");
  const std::string text = DlSubmit({"status", "long-1", "--data-dir", data_dir_}).out;
  EXPECT_THAT(text, HasSubstr("killed, probably by "));
  EXPECT_THAT(text, HasSubstr("3 times in a row"));
  EXPECT_THAT(text, HasSubstr("dl-submit resume long-1"));
  // A command that names the job computes it again.
  KillWhileItComputes({"resume", "long-1"});
  EXPECT_NE(Job("long-1").value("state", ""), "FAILED");
}

TEST_F(KilledJob, OrderlyEndResetsCountOfKills) {
  KillWhileItComputes({"run", LongJob()});
  KillWhileItComputes({"attach", "long-1"});
  EXPECT_EQ(DlSubmit({"run", WriteSmallJob(folder_.path()), "-q", "--data-dir", data_dir_}).code,
            kSuccess);
  KillWhileItComputes({"attach", "long-1"});
  EXPECT_NE(Job("long-1").value("state", ""), "FAILED");
}

// The job cannot wait for other executors, because a local cluster gets none.
TEST_F(KilledJob, KillsOfAllLocalExecutorsFailJob) {
  const std::string job = WriteSmallJob(folder_.path());
  const Ended killed =
      Shell(absl::StrCat("DL_FAIL_POINTS=executor.compute=kill@1+ \"$DL\" run ", job,
                         " --master 'local-cluster[2]' --data-dir ", data_dir_));
  const std::string told = killed.out + killed.err;
  EXPECT_EQ(killed.code, 1) << told;
  EXPECT_THAT(told, HasSubstr("FAILED (Its processes were killed repeatedly)"));
  EXPECT_THAT(told, HasSubstr("killed, probably by "));
  EXPECT_THAT(told, testing::Not(HasSubstr("it waits for a larger executor")));
  const Ended other =
      DlSubmit({"run", job, "-q", "--master", "local-cluster[2]", "--data-dir", data_dir_});
  EXPECT_EQ(other.code, kSuccess) << other.err;
}

TEST_F(KilledJob, KillByMemoryLimitFailsJobAtOnce) {
  const test::RealControlGroup group("memory");
  if (!group.refused().empty()) GTEST_SKIP() << group.refused();
  group.Set("memory.limit_in_bytes", "memory.max", absl::StrCat(300 << 20));
  const std::string job = LongJob();
  // The kernel kills the process with the highest score, which is the one that computes.
  const Ended killed = Shell(absl::StrCat(
      "(", group.Prefix(), "bash -c 'echo 1000 > /proc/$$/oom_score_adj; exec \"$DL\" run ", job,
      " --json --data-dir ", data_dir_, "' > ", folder_ / "events",
      ") & computing=$!; until grep -qs '\"epoch\"' ", folder_ / "events",
      "; do read -t 0.1 < <(:); done; (", group.Prefix(),
      "head -c 400M /dev/zero | tail > /dev/null); wait $computing"));
  EXPECT_EQ(killed.code, 128 + SIGKILL) << killed.out;
  const Ended other =
      DlSubmit({"run", WriteSmallJob(folder_.path()), "-q", "--data-dir", data_dir_});
  EXPECT_EQ(other.code, kSuccess) << other.err;
  EXPECT_EQ(Job("long-1").value("state", ""), "FAILED");
  EXPECT_THAT(DlSubmit({"status", "long-1", "--data-dir", data_dir_}).out,
              HasSubstr("killed, probably by the memory limit of 300 MiB ("));
}

}  // namespace
}  // namespace dl::cli
