// Parsing of Slurm's answers, and the text of batch scripts.
#include "launch/clusters/slurm.h"

#include "base/files.h"
#include "gtest/gtest.h"
#include "launch/clusters/slurm_run_folder.h"
#include "launch/clusters/target.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::launch {
namespace {

TEST(SlurmFilePatternTest, PercentSignIsEscaped) {
  EXPECT_EQ(SlurmFilePattern("/data/50%/run"), "/data/50%%/run");
  EXPECT_EQ(SlurmFilePattern("/data/run"), "/data/run");
}

using test::IsError;

BatchJob Parsed(const std::string& line) {
  const auto job = ParseSlurmJob(line);
  DL_EXPECT_OK(job);
  return job.value_or(BatchJob{});
}

TEST(SlurmJob, IsParsedFromOneLine) {
  const BatchJob job = Parsed(
      "JobId=3 JobName=paravane-JobState=RUNNING UserId=ada(7) Account=(null) JobState=PENDING "
      "Reason=Resources Dependency=(null) Requeue=1 Restarts=2 BatchFlag=1 "
      "ExitCode=143:9 ReqNodeList=(null) NodeList=n[1-4] BatchHost=n1\n");
  EXPECT_EQ(job.state, "PENDING");
  EXPECT_EQ(job.reason, "Resources");
  EXPECT_EQ(job.nodes, "n[1-4]");
  EXPECT_EQ(job.restarts, 2);
  EXPECT_EQ(job.exit_code, 143);
  EXPECT_FALSE(job.has_ended());
  const BatchJob begun = Parsed("JobState=RUNNING Reason=None NodeList=(null)");
  EXPECT_EQ(begun.reason, "");
  EXPECT_EQ(begun.nodes, "");
  EXPECT_THAT(ParseSlurmJob("").status(), IsError(absl::StatusCode::kInvalidArgument, "nothing"));
  EXPECT_THAT(ParseSlurmJob("JobId=3\n").status(),
              IsError(absl::StatusCode::kInvalidArgument, "JobId=3"));
}

TEST(SlurmJob, HasEndedAfterReleaseOfResources) {
  for (const char* live :
       {"PENDING", "CONFIGURING", "RUNNING", "SUSPENDED", "COMPLETING", "REQUEUED", "STOPPED"})
    EXPECT_FALSE(Parsed(absl::StrCat("JobState=", live)).has_ended()) << live;
  for (const char* ended : {"COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED",
                            "OUT_OF_MEMORY", "DEADLINE", "BOOT_FAIL"})
    EXPECT_TRUE(Parsed(absl::StrCat("JobState=", ended)).has_ended()) << ended;
}

TEST(SlurmJob, MaxTasksPerNode) {
  EXPECT_EQ(MaxTasksPerNode("2(x3),1"), 2);
  EXPECT_EQ(MaxTasksPerNode("1,16,3(x2)"), 16);
  EXPECT_EQ(MaxTasksPerNode("1(x4)"), 1);
  EXPECT_EQ(MaxTasksPerNode(""), 1);
  EXPECT_EQ(MaxTasksPerNode("many"), 1);
}

TEST(SlurmTarget, IsParsedAndPrinted) {
  for (const char* text : {"slurm[1]", "slurm[1024]", "slurm-batch[4]@/data/a b]@/c"}) {
    const auto target = ParseTarget(text);
    DL_ASSERT_OK(target);
    EXPECT_EQ(target->ToString(), text);
  }
  EXPECT_EQ(ParseTarget("slurm-batch[4]@/data/x")->folder(), "/data/x");
  EXPECT_EQ(ParseTarget("slurm-batch[4]@/data/x")->count(), 4);
  EXPECT_TRUE(ParseTarget("slurm[8]")->is_batch());
  for (const char* text :
       {"slurm", "slurm[0]", "slurm[-1]", "slurm[*]", "slurm[1025]", "slurm[2", "slurm[2]@/x",
        "slurm-batch[2]", "slurm-batch[2]@x", "slurm-batch[*]@/x"})
    EXPECT_THAT(ParseTarget(text).status(),
                IsError(absl::StatusCode::kInvalidArgument, "is not a master"))
        << text;
}

TEST(SlurmRun, StoresJobAndQuotesScript) {
  const test::TempFolder folder;
  auto run = SlurmRun::Create(folder / "it's here");
  DL_ASSERT_OK(run);
  EXPECT_FALSE(run->Job());
  DL_ASSERT_OK(run->RecordJob("mlp-1"));
  EXPECT_EQ(SlurmRun(run->folder()).Job(), "mlp-1");
  DL_ASSERT_OK(run->WriteScript("/opt/a b/dl-submit", {"run", "$(reboot)"}));
  const std::string script = ReadFile(run->script(), 4096).value_or("");
  EXPECT_NE(script.find("\nexec '/opt/a b/dl-submit' run '$(reboot)'\n"), std::string::npos)
      << script;
  const auto master = ParseTarget(run->BatchMaster(Target::Local(3)));
  DL_ASSERT_OK(master);
  EXPECT_EQ(master->folder(), run->folder());
  EXPECT_EQ(master->count(), 3);
}

}  // namespace
}  // namespace dl::launch
