// Limits of containers and of ulimit with real processes: the error names each limit, and the exit
// code is as documented.
#include <unistd.h>

#include <fstream>

#include "absl/strings/str_cat.h"
#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fake_system.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::AnyOf;
using testing::Eq;
using testing::HasSubstr;
using testing::Not;

class LimitsTest : public testing::Test {
 protected:
  // Writes a table with that many rows. Returns its path.
  std::string Table(int rows) const {
    std::string text = "a,b,y\n";
    for (int i = 0; i < rows; ++i) absl::StrAppend(&text, i % 97, ",", i % 89, ",", i % 2, "\n");
    return folder_.Write("table.csv", text);
  }
  // Writes a job whose units need more than 1 GiB each.
  std::string LargeJob() const {
    const std::string rows = Table(16);
    return folder_.Write(
        "large.json",
        absl::StrCat(
            R"({"name":"large","model":{"input":{"type":"feed_forward","features":2},"layers":[)",
            R"({"type":"dense","units":8192},{"type":"dense","units":8192},)",
            R"({"type":"output","units":2,"loss":"softmax_cross_entropy"}]},)",
            R"("training":{"workers":1,"batch_size":8,"averaging_frequency":1},)",
            R"("data":{"train":{"format":"csv","path":")", rows, R"("}}})"));
  }
  // `before` contains shell words before the program.
  Ended Run(const std::string& before, const std::string& words) const {
    return Shell(absl::StrCat(before, " \"$DL\" ", words, " --data-dir ", folder_.path(), "/D"));
  }

  const test::TempFolder folder_;
};

TEST_F(LimitsTest, MissingTemporaryFolderFailsOnlyWhenUsed) {
  const std::string small = "run mlp --epochs 1 --test-fraction 0.2 -q --train " + Table(100);
  EXPECT_EQ(Run("TMPDIR=/no/such", small).code, kSuccess);
  const std::string large = "run mlp --epochs 1 -q --train " + Table(60'000);
  for (const char* command : {"", " --dry-run"}) {
    const Ended ended = Run("TMPDIR=/no/such DL_IMPORT_MEMORY=1M", large + command);
    EXPECT_EQ(ended.code, kInputOutput) << ended.out;
    EXPECT_THAT(ended.out, HasSubstr("at: TMPDIR"));
  }
}

TEST_F(LimitsTest, DeletedWorkingFolderIsReported) {
  const Ended ended =
      Run("mkdir gone && cd gone && rmdir ../gone &&", "run mlp --train " + Table(100));
  EXPECT_EQ(ended.code, kInputOutput) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("cannot find the folder where the command runs"));
  EXPECT_THAT(ended.out, HasSubstr("cd"));
}

TEST_F(LimitsTest, FailedThreadStartIsAnError) {
  const std::string job = WriteSmallJob(folder_.path());
  for (const int n : {1, 2, 4, 7, 11, 16}) {
    const Ended ended =
        Shell(absl::StrCat("DL_FAIL_POINTS=thread.start=error@", n, "+ \"$DL\" run -q ", job,
                           " --data-dir ", folder_ / "D", n));
    EXPECT_THAT(ended.code, AnyOf(Eq(kTryAgain), Eq(kSuccess))) << n << ": " << ended.out;
    if (ended.code == kTryAgain) {
      EXPECT_THAT(ended.out, HasSubstr("error: cannot start a thread"));
    }
  }
}

TEST_F(LimitsTest, ProcessLimitOfUserIsReported) {
  if (geteuid() != 0) GTEST_SKIP() << "only root starts processes of another user";
  const std::string job = WriteSmallJob(folder_.path());
  for (const int limit : {4, 8, 14}) {
    const Ended ended = Shell(
        absl::StrCat("chmod -R a+rwX ", folder_.path(), "; export HOME=", folder_.path(),
                     "; exec setpriv --reuid 65534 --clear-groups bash -c 'ulimit -u ", limit,
                     "; exec \"$DL\" run -q ", job, " --data-dir ", folder_ / "D", limit, "'"));
    ASSERT_EQ(ended.code, kTryAgain) << ended.out;
    EXPECT_THAT(ended.out, HasSubstr(absl::StrCat("ulimit -u of ", limit, " processes")));
    EXPECT_THAT(ended.out, HasSubstr("Raise that limit"));
  }
}

TEST_F(LimitsTest, LowAddressSpaceIsReported) {
  const std::string job = WriteSmallJob(folder_.path());
  for (const int kilobytes : {300'000, 450'000}) {
    const Ended ended = Run(absl::StrCat("ulimit -v ", kilobytes, ";"), "run -q " + job);
    EXPECT_EQ(ended.code, kTryAgain) << ended.out;
    EXPECT_THAT(ended.out, HasSubstr("too little address space: ulimit -v allows "));
    EXPECT_THAT(ended.out, HasSubstr("ulimit -v unlimited"));
  }
  EXPECT_EQ(Run("ulimit -v 1200000;", "run -q " + job).code, kSuccess);
  const Ended large = Run("ulimit -v 1200000;", "run -q " + LargeJob());
  EXPECT_EQ(large.code, kInvalidConfig) << large.out;
  EXPECT_THAT(large.out, HasSubstr("because of ulimit -v of 1171 MiB"));
}

TEST_F(LimitsTest, FileSizeLimitIsAnError) {
  const Ended ended = Run("ulimit -f 10;", "run mlp --epochs 1 -q --train " + Table(100));
  EXPECT_EQ(ended.code, kInputOutput) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("File too large (ulimit -f of 10 KiB)"));
  EXPECT_THAT(ended.out, HasSubstr("Raise the limit of the size of files (ulimit -f)"));
}

TEST_F(LimitsTest, FileSizeLimitOfCheckpointIsReported) {
  const Ended ended = Run("ulimit -f 64;", "run mlp --epochs 1 --train " + Table(100));
  EXPECT_EQ(ended.code, kFailed) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("mlp-1  FAILED: writing checkpoint mlp-1@"));
  EXPECT_THAT(ended.out, HasSubstr("File too large (ulimit -f of 64 KiB)"));
  EXPECT_EQ(Run("", "resume -q mlp-1").code, kSuccess);
}

TEST_F(LimitsTest, LowOpenFileLimitIsReported) {
  const std::string job = WriteSmallJob(folder_.path());
  for (const int files : {24, 64, 127}) {
    const Ended ended = Run(absl::StrCat("ulimit -n ", files, ";"), "run -q " + job);
    EXPECT_EQ(ended.code, kTryAgain) << ended.out;
    EXPECT_THAT(ended.out, HasSubstr(absl::StrCat("too few files: ulimit -n of ", files, ";")));
    EXPECT_THAT(ended.out, HasSubstr("Raise the hard limit to 128"));
  }
  EXPECT_EQ(Run("ulimit -n 128;", "run -q " + job).code, kSuccess);
}

// Each executor has three connections, so the limit depends on their number.
TEST_F(LimitsTest, OpenFileLimitTooLowForExecutorsIsReported) {
  const std::string job = WriteSmallJob(folder_.path());
  const Ended ended = Run("ulimit -n 150;", "run -q --master 'local-cluster[20]' " + job);
  EXPECT_EQ(ended.code, kTryAgain) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("too few files: ulimit -n of 150;"));
  EXPECT_EQ(Run("ulimit -n 150;", "run -q --master 'local-cluster[2]' " + job).code, kSuccess);
}

TEST_F(LimitsTest, MemoryLimitOfGroupRefusesLargeJob) {
  const test::RealControlGroup group("memory");
  if (!group.refused().empty()) GTEST_SKIP() << group.refused();
  group.Set("memory.limit_in_bytes", "memory.max", absl::StrCat(500 << 20));
  const Ended doctor = Run(group.Prefix(), "doctor");
  EXPECT_THAT(doctor.out, HasSubstr("because of the memory limit of 500 MiB (" + group.path()));
  const Ended refused = Run(group.Prefix(), "run -q " + LargeJob());
  EXPECT_EQ(refused.code, kInvalidConfig) << refused.out;
  EXPECT_THAT(refused.out, HasSubstr("because of the memory limit of 500 MiB (" + group.path()));
  EXPECT_EQ(Run(group.Prefix(), "run -q " + WriteSmallJob(folder_.path())).code, kSuccess);
}

TEST_F(LimitsTest, CpuQuotaOfGroupIsRead) {
  const test::RealControlGroup group("cpu");
  if (!group.refused().empty()) GTEST_SKIP() << group.refused();
  group.Set("cpu.cfs_period_us", "cpu.max", "100000");
  group.Set("cpu.cfs_quota_us", "cpu.max", "50000");
  const Ended doctor = Run(group.Prefix(), "doctor");
  if (sysconf(_SC_NPROCESSORS_ONLN) > 1) {
    EXPECT_THAT(doctor.out, HasSubstr("1 core because of the CPU quota of 0.5 processors"));
  }
}

TEST_F(LimitsTest, ProcessLimitOfGroupIsReported) {
  const test::RealControlGroup group("pids");
  if (!group.refused().empty()) GTEST_SKIP() << group.refused();
  group.Set("pids.max", "pids.max", "12");
  const Ended ended = Run(group.Prefix(), "run -q " + WriteSmallJob(folder_.path()));
  EXPECT_EQ(ended.code, kTryAgain) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("the limit of 12 processes and threads (" + group.path()));
}

// The error of the master's process is in its log.
TEST_F(LimitsTest, ProcessLimitIsNamedForAMasterThatIsAProcessOfItsOwn) {
  const test::RealControlGroup group("pids");
  if (!group.refused().empty()) GTEST_SKIP() << group.refused();
  group.Set("pids.max", "pids.max", "16");
  const Ended ended =
      Run(group.Prefix(), "run -q --master 'local-cluster[2]' " + WriteSmallJob(folder_.path()));
  EXPECT_EQ(ended.code, kTryAgain) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("the limit of 16 processes and threads (" + group.path()));
}

TEST_F(LimitsTest, JobsRunWithoutProcAndSys) {
  if (Shell("unshare -m umount -l /proc").code != 0) GTEST_SKIP() << "this process may not unmount";
  const std::string job = WriteSmallJob(folder_.path());
  const auto without = [&](const std::string& folders, const std::string& words) {
    return Shell(absl::StrCat("unshare -m bash -c 'umount -l ", folders, "; exec \"$DL\" ", words,
                              " --data-dir ", folder_.path(), "/D'"));
  };
  const Ended ran = without("/proc", "run -q " + job);
  EXPECT_EQ(ran.code, kSuccess) << ran.out;
  EXPECT_THAT(without("/proc", "doctor").out, HasSubstr("/proc is not mounted"));
  const Ended no_sys = without("/sys", "run -q " + job);
  EXPECT_EQ(no_sys.code, kSuccess) << no_sys.out;
  EXPECT_THAT(no_sys.out, Not(HasSubstr("error")));
}

}  // namespace
}  // namespace dl::cli
