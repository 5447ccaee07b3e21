// Jobs on --master mpi, by real launchers. Paravane does not link MPI.
#include <algorithm>
#include <csignal>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "launch/clusters/mpi_meeting.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

using ::testing::HasSubstr;

struct Launcher {
  std::string name, program;
  std::vector<std::string> words;
};

const Launcher kOpenMpi = {
    "OpenMpi", "mpirun.openmpi", {"--allow-run-as-root", "--oversubscribe", "--bind-to", "none"}};
const Launcher kMpich = {"Mpich", "mpirun.mpich", {}};

bool IsInstalled(const std::string& program) {
  const char* path = std::getenv("PATH");
  const std::vector<std::string> folders = absl::StrSplit(path == nullptr ? "" : path, ':');
  for (const std::string& folder : folders) {
    std::error_code error;
    if (std::filesystem::exists(folder + "/" + program, error)) return true;
  }
  return false;
}

class MpiTest : public testing::TestWithParam<Launcher> {
 protected:
  void SetUp() override {
    if (!IsInstalled(GetParam().program))
      GTEST_SKIP() << "there is no " << GetParam().program << ": apt-get install openmpi-bin mpich";
  }
  static std::vector<std::string> Place(int processes) {
    std::vector<std::string> place = {GetParam().program};
    place.insert(place.end(), GetParam().words.begin(), GetParam().words.end());
    place.insert(place.end(), {"-n", absl::StrCat(processes)});
    return place;
  }
  std::string Job(int epochs = 2) const {
    return WriteJob(folder_, "job",
                    MakeSample(folder_, {.job = SampleJob::kMlpAverage, .epochs = epochs}));
  }
  std::vector<std::string> Words(const std::string& command, const std::string& job) const {
    return {command, "--master", "mpi", "--data-dir", folder_ / "data", "--json", job};
  }

  TempFolder folder_;
};

TEST_P(MpiTest, RankZeroIsMasterAndOthersAreExecutors) {
  const std::string job = Job();
  const Json reference = RunReference(job);
  const Finished run = DlSubmit(Words("run", job), std::chrono::minutes(5), Place(4));
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.result().value("state", ""), "SUCCEEDED");
  EXPECT_EQ(run.result().value("state_sha256", "-"), reference.value("state_sha256", ""));
  EXPECT_EQ(run.result().at("metrics"), reference.at("metrics"));
  for (int rank = 1; rank < 4; ++rank) {
    const auto log =
        ReadFile(absl::StrCat(folder_ / "data", "/mpi-executor-", rank, ".log"), 1 << 20);
    EXPECT_TRUE(log.ok()) << log.status();
  }
  EXPECT_FALSE(std::filesystem::exists(launch::MpiMeetingFile(folder_ / "data")));
}

// A meeting that a killed run left leads to a master that is not there any more.
TEST_P(MpiTest, MeetingOfAnEarlierRunIsReplaced) {
  const std::string data = folder_ / "data";
  std::filesystem::create_directories(data);
  ASSERT_TRUE(launch::AnnounceMpiMeeting(
                  data, {.master_url = "dl://127.0.0.1:9", .token_file = data + "/no.token"})
                  .ok());
  const Finished run = DlSubmit(Words("run", Job(1)), std::chrono::minutes(5), Place(2));
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.result().value("state", ""), "SUCCEEDED");
}

TEST_P(MpiTest, ResumeContinuesStoppedJob) {
  const std::string job = Job(), data = folder_ / "data";
  {
    const ScopedFailPoints points("master.durable=kill@9");
    const Finished run = DlSubmit(Words("run", job), std::chrono::minutes(5), Place(3));
    ASSERT_NE(run.exit_code, 0);
  }
  const Finished resumed = DlSubmit(Words("resume", "mlp-1"), std::chrono::minutes(5), Place(3));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.errors;
  EXPECT_EQ(resumed.result().value("state_sha256", "-"),
            RunReference(job).value("state_sha256", ""));
}

TEST_P(MpiTest, SingleProcessIsRefused) {
  const Finished run = DlSubmit(Words("run", Job(1)), std::chrono::minutes(5), Place(1));
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.text + run.errors, HasSubstr("has only one process"));
}

INSTANTIATE_TEST_SUITE_P(Launchers, MpiTest, testing::Values(kOpenMpi, kMpich),
                         [](const auto& info) { return info.param.name; });

// The process of the rank that OpenMPI started here, 0 where there is none.
pid_t PidOfRank(int rank, const std::string& data_dir) {
  const std::string variable = absl::StrCat("OMPI_COMM_WORLD_RANK=", rank);
  const std::string words("dl-submit\0run", 13);
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    pid_t pid = 0;
    if (!absl::SimpleAtoi(entry.path().filename().string(), &pid)) continue;
    const auto environment = ReadFile(entry.path() / "environ", 1 << 20);
    const auto command = ReadFile(entry.path() / "cmdline", 1 << 20);
    if (!environment.ok() || !command.ok() || !absl::StrContains(*command, data_dir)) continue;
    const std::vector<std::string> variables = absl::StrSplit(*environment, '\0');
    const bool is_rank = std::ranges::find(variables, variable) != variables.end();
    if (is_rank && command->find(words) != std::string::npos) return pid;
  }
  return 0;
}

TEST(MpiTarget, RankThatDiesEndsNoOtherRankWhereTheLauncherAllowsIt) {
  if (!IsInstalled(kOpenMpi.program)) GTEST_SKIP() << "there is no " << kOpenMpi.program;
  const TempFolder folder;
  const std::string job =
      WriteJob(folder, "job", MakeSample(folder, {.job = SampleJob::kMlpAverage, .epochs = 40}));
  const std::string data = folder / "data";
  std::vector<std::string> argv = {kOpenMpi.program, "--enable-recovery"};
  argv.insert(argv.end(), kOpenMpi.words.begin(), kOpenMpi.words.end());
  for (const std::string& word : {std::string("-n"), std::string("4"), Binary("dl-submit"),
                                  std::string("run"), std::string("--master"), std::string("mpi"),
                                  std::string("--data-dir"), data, std::string("--json"), job})
    argv.push_back(word);
  auto child = Spawner::Real().Start(
      {.argv = argv, .out = ChildOutput::Pipe(), .err = ChildOutput::File(folder / "errors")});
  ASSERT_TRUE(child.ok()) << child.status();
  const auto next = [&]() -> Json {
    const auto line = (*child)->ReadLine(std::chrono::minutes(5));
    return line.ok() ? Json::parse(*line, nullptr, false) : Json();
  };
  Json event = next();
  while (event.is_object() && event.value("type", "") != "round") event = next();
  ASSERT_TRUE(event.is_object()) << "no round was committed";
  const pid_t rank = PidOfRank(2, data);
  ASSERT_GT(rank, 0);
  ASSERT_EQ(kill(rank, SIGKILL), 0);
  while (event.is_object() && event.value("type", "") != "result") event = next();
  ASSERT_TRUE(event.is_object()) << "the run ended without a result";
  EXPECT_EQ(event.value("state", ""), "SUCCEEDED");
  EXPECT_EQ(event.value("state_sha256", "-"), RunReference(job).value("state_sha256", ""));
}

TEST(MpiTarget, MissingLauncherIsAnErrorWithRemedy) {
  const TempFolder folder;
  const std::string job =
      WriteJob(folder, "job", MakeSample(folder, {.job = SampleJob::kMlpAverage}));
  const Finished run = DlSubmit({"run", "--master", "mpi", "--data-dir", folder / "data", job});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.errors, HasSubstr("mpirun -n N dl-submit run --master mpi JOB"));
}

}  // namespace
}  // namespace dl::test
