#include "tests/slurm/slurm_under_test.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/unique.h"
#include "gtest/gtest.h"
#include "launch/pause.h"
#include "rpc/server.h"
#include "tests/integration/bounds.h"

namespace dl::test {
namespace {

namespace fs = std::filesystem;

constexpr Duration kLook = std::chrono::milliseconds(100);
constexpr int64_t kMostOutput = 4 << 20;
constexpr int kNodes = 4;

std::string HostName() {
  std::array<char, 256> host = {};
  return gethostname(host.data(), host.size() - 1) == 0 ? host.data() : "localhost";
}

// Returns different ports that were free a moment ago. They lie below the range from which the
// system assigns ports, because the daemons bind them only later.
std::vector<int> FreePorts(int count) {
  constexpr int kFirst = 10'000, kTries = 1000;
  int end = 0;
  std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> end;
  std::vector<int> ports;
  std::vector<std::unique_ptr<rpc::Server>> held;
  for (int i = 0; i < kTries && static_cast<int>(ports.size()) < count; ++i) {
    const int port =
        end <= kFirst ? 0 : kFirst + static_cast<int>(UniqueNumber().value_or(0) % (end - kFirst));
    auto server = rpc::Server::Listen({.port = port, .version = "test"});
    if (!server.ok()) continue;
    ports.push_back((*server)->port());
    held.push_back(*std::move(server));
  }
  return ports;
}

std::vector<std::string> WordsOf(pid_t process, const char* file) {
  const std::string text =
      ReadFile(absl::StrCat("/proc/", process, "/", file), kMostOutput).value_or("");
  return absl::StrSplit(text, '\0', absl::SkipEmpty());
}

}  // namespace

std::string SlurmUnderTest::WhyNot() {
  if (geteuid() != 0) return "Slurm's daemons are started as root";
  for (const char* program : {"munged", "slurmctld", "slurmd", "sbatch", "srun", "scontrol"}) {
    const std::string path = absl::StrCat("/usr/sbin:/usr/bin:", std::getenv("PATH"));
    const std::vector<std::string> folders = absl::StrSplit(path, ':');
    const bool found = std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
      return access(absl::StrCat(folder, "/", program).c_str(), X_OK) == 0;
    });
    if (!found) return absl::StrCat("there is no ", program, ": ./dev install-deps");
  }
  return "";
}

void SlurmUnderTest::WriteConfig() {
  const std::vector<int> ports = FreePorts(kNodes + 1);
  ASSERT_EQ(ports.size(), kNodes + 1u);
  std::vector<std::string> lines = {
      "ClusterName=test", absl::StrCat("SlurmctldHost=", HostName(), "(127.0.0.1)"),
      absl::StrCat("SlurmctldPort=", ports[0]), "SlurmUser=root", "SlurmdUser=root",
      absl::StrCat("AuthInfo=socket=", folder_ / "munge/socket", ""),
      "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none", "MpiDefault=none",
      "JobAcctGatherType=jobacct_gather/none", "SelectType=select/cons_tres",
      "SelectTypeParameters=CR_Core", "SlurmdParameters=config_overrides", "EnforcePartLimits=ALL",
      "ReturnToService=2", "KillWait=120",
      // The default timeouts are short for a busy machine: Slurm would take a slow node for a lost
      // node.
      "MessageTimeout=100", "TCPTimeout=60", "BatchStartTimeout=600",
      absl::StrCat("StateSaveLocation=", folder_ / "state"),
      absl::StrCat("SlurmctldPidFile=", folder_ / "controller.pid"),
      absl::StrCat("SlurmctldLogFile=", folder_ / "controller.log"),
      absl::StrCat("SlurmdSpoolDir=", folder_ / "spool/%n"),
      absl::StrCat("SlurmdPidFile=", folder_ / "%n.pid"),
      absl::StrCat("SlurmdLogFile=", folder_ / "%n.log")};
  for (int node = 1; node <= kNodes; ++node) {
    lines.push_back(absl::StrCat("NodeName=n", node, " NodeHostname=", HostName(),
                                 " NodeAddr=127.0.0.1 Port=", ports[node],
                                 " CPUs=2 RealMemory=2000"));
    fs::create_directories(folder_ / absl::StrCat("spool/n", node));
  }
  lines.push_back("PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE");
  std::ofstream config(folder_ / "slurm.conf");
  for (const std::string& line : lines) config << line << "\n";
  folder_.Write("cgroup.conf", "CgroupPlugin=cgroup/v1\n");
  fs::create_directories(folder_ / "state");
  fs::create_directories(folder_ / "munge");
  fs::permissions(folder_ / "munge", fs::perms::owner_all);
  std::string key;
  while (key.size() < 128) absl::StrAppend(&key, absl::Hex(UniqueNumber().value_or(1)));
  folder_.Write("key", key);
  fs::permissions(folder_ / "key", fs::perms::owner_read);
}

void SlurmUnderTest::Start(const std::string& name, const std::vector<std::string>& words,
                           std::unique_ptr<ChildProcess>& daemon) {
  auto child = Spawner::Real().Start({.argv = words,
                                      .out = ChildOutput::Discard(),
                                      .err = ChildOutput::File(folder_ / (name + ".err"))});
  ASSERT_TRUE(child.ok()) << DescribeError(child.status());
  daemon = *std::move(child);
}

SlurmUnderTest::SlurmUnderTest() {
  setenv("PATH", absl::StrCat(std::getenv("PATH"), ":/usr/sbin").c_str(), 1);
  setenv("SLURM_CONF", (folder_ / "slurm.conf").c_str(), 1);
  BringUp();
}

void SlurmUnderTest::BringUp() {
  WriteConfig();
  if (testing::Test::HasFatalFailure()) return;
  const std::string munge = folder_ / "munge/";
  Start("munged",
        {"munged", "--foreground", "--force", "--key-file=" + folder_ / "key",
         "--socket=" + munge + "socket", "--pid-file=" + munge + "pid",
         "--log-file=" + munge + "log", "--seed-file=" + munge + "seed"},
        munged_);
  const Instant patience = Clock::Real().Now() + kTimeout;
  while (!fs::exists(munge + "socket")) {
    ASSERT_LT(Clock::Real().Now(), patience) << "munged does not come up";
    launch::Pause(kLook);
  }
  Start("controller", {"slurmctld", "-D", "-f", folder_ / "slurm.conf"}, controller_);
  for (int node = 1; node <= kNodes; ++node) StartNode(node);
  WaitUntilIdle(kNodes);
}

void SlurmUnderTest::StartNode(int node) {
  const std::string name = absl::StrCat("n", node);
  Start(name, {"slurmd", "-D", "-N", name, "-f", folder_ / "slurm.conf"}, nodes_[node - 1]);
}

// Registering suffices, because of ReturnToService.
void SlurmUnderTest::ReturnNode(int node) { StartNode(node); }

SlurmUnderTest::~SlurmUnderTest() {
  // Only Slurm's log shows whether Slurm or the test timed out.
  if (testing::Test::HasFailure())
    GTEST_LOG_(INFO) << ReadFile(folder_ / "controller.log", kMostOutput).value_or("");
  for (auto& node : nodes_) node.reset();
  controller_.reset();
  // Slurm's processes that watch over tasks are not children of its daemons. The tasks are children
  // of these processes.
  const Instant patience = Clock::Real().Now() + kTimeout;
  for (std::vector<pid_t> left = Processes(); !left.empty() && Clock::Real().Now() < patience;
       left = Processes()) {
    for (const pid_t process : left) (void)kill(process, SIGKILL);
    launch::Pause(kLook);
  }
  munged_.reset();
  unsetenv("SLURM_CONF");
}

void SlurmUnderTest::WaitUntilIdle(int nodes) {
  const Instant patience = Clock::Real().Now() + kTimeout;
  for (;;) {
    const std::vector<std::string> states = absl::StrSplit(
        Clock::Real().Now() < patience ? Ask({"sinfo", "-h", "-N", "-o", "%T"}) : "late", '\n',
        absl::SkipEmpty());
    if (std::count(states.begin(), states.end(), "idle") >= nodes) return;
    ASSERT_LT(Clock::Real().Now(), patience)
        << ReadFile(folder_ / "controller.log", kMostOutput).value_or("");
    launch::Pause(kLook);
  }
}

std::string SlurmUnderTest::Ask(const std::vector<std::string>& words) {
  // The controller may not have started yet.
  const Instant patience = Clock::Real().Now() + kTimeout;
  for (;;) {
    auto child = Spawner::Real().Start({.argv = words,
                                        .out = ChildOutput::Pipe(),
                                        .err = ChildOutput::File(folder_ / "commands.err")});
    if (!child.ok()) {
      ADD_FAILURE() << DescribeError(child.status());
      return "";
    }
    auto text = (*child)->ReadAll(kTimeout, kMostOutput);
    const auto ended = (*child)->Wait(kTimeout);
    if (text.ok() && ended.ok() && *ended == ExitStatus{}) return *std::move(text);
    if (Clock::Real().Now() >= patience || words[0] != "sinfo") {
      ADD_FAILURE() << words[0]
                    << " failed: " << ReadFile(folder_ / "commands.err", kMostOutput).value_or("");
      return "";
    }
    launch::Pause(kLook);
  }
}

std::string SlurmUnderTest::Jobs() { return Ask({"squeue", "-h", "-o", "%i %T"}); }

std::string SlurmUnderTest::OnlyJob() {
  const std::string jobs = Jobs();
  EXPECT_EQ(std::count(jobs.begin(), jobs.end(), '\n'), 1) << jobs;
  return jobs.substr(0, jobs.find(' '));
}

void SlurmUnderTest::StartRequeued(const std::string& id) {
  const Instant patience = Clock::Real().Now() + kTimeout;
  // Waits for the end of all processes, because Slurm would take a late end of the first run for
  // the end of the next run.
  while (Jobs() != id + " PENDING\n" || !Processes().empty()) {
    ASSERT_LT(Clock::Real().Now(), patience) << Jobs();
    launch::Pause(kLook);
  }
  // A node refuses a job in the same second in which an earlier grant of this job was revoked.
  Ask({"scontrol", "update", "JobId=" + id, "StartTime=now+2"});
}

void SlurmUnderTest::LoseNode(int node) {
  std::unique_ptr<ChildProcess>& daemon = nodes_[node - 1];
  // Kills only the daemon. Its children have a process group of their own and keep running.
  ASSERT_TRUE(daemon->Signal(SIGKILL).ok());
  ASSERT_TRUE(daemon->Wait(kTimeout).ok());
  Ask({"scontrol", "update", absl::StrCat("NodeName=n", node), "State=DOWN", "Reason=lost"});
}

void SlurmUnderTest::KillBatch() {
  // Kills Slurm's process first, because it would report the end of the batch script.
  std::vector<pid_t> lost;
  for (const pid_t process : Processes()) {
    const std::vector<std::string> words = WordsOf(process, "cmdline");
    if (!words.empty() && absl::StrContains(words[0], ".batch]")) lost.push_back(process);
  }
  EXPECT_EQ(lost.size(), 1u);
  for (const pid_t process : Processes("run")) lost.push_back(process);
  for (const pid_t process : lost) EXPECT_EQ(kill(process, SIGKILL), 0);
}

std::vector<pid_t> SlurmUnderTest::Processes(const std::string& word) const {
  const std::string marker = "SLURM_CONF=" + folder_ / "slurm.conf";
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    pid_t process = 0;
    if (!absl::SimpleAtoi(entry.path().filename().string(), &process)) continue;
    const std::vector<std::string> environment = WordsOf(process, "environ");
    if (std::find(environment.begin(), environment.end(), marker) == environment.end()) continue;
    const std::vector<std::string> words = WordsOf(process, "cmdline");
    if (words.empty()) continue;
    const std::string program = words[0].substr(words[0].rfind('/') + 1);
    const bool watches = std::find(words.begin(), words.end(), "--restart") != words.end();
    const bool of_job = std::any_of(environment.begin(), environment.end(), [](const auto& entry) {
      return entry.starts_with("SLURM_JOB_ID=");
    });
    if (word.empty()
            ? of_job || program.starts_with("slurmstepd")
            : of_job && program == "dl-submit" && words.size() > 1 && words[1] == word && !watches)
      found.push_back(process);
  }
  return found;
}

std::vector<pid_t> SlurmUnderTest::WaitForProcesses(const std::string& word, size_t count) {
  const Instant patience = Clock::Real().Now() + kTimeout;
  for (;;) {
    std::vector<pid_t> found = Processes(word);
    if (found.size() == count) return found;
    if (Clock::Real().Now() >= patience) {
      ADD_FAILURE() << found.size() << " of " << count << " processes " << word;
      return found;
    }
    launch::Pause(kLook);
  }
}

pid_t SlurmUnderTest::ParentOf(pid_t process) {
  const std::string status =
      ReadFile(absl::StrCat("/proc/", process, "/status"), kMostOutput).value_or("");
  pid_t parent = 0;
  const size_t at = status.find("PPid:\t");
  if (at == std::string::npos ||
      !absl::SimpleAtoi(status.substr(at + 6, status.find('\n', at) - at - 6), &parent))
    ADD_FAILURE() << process << " is gone";
  return parent;
}

void SlurmUnderTest::WaitForStop(pid_t process) {
  const Instant patience = Clock::Real().Now() + kTimeout;
  for (;;) {
    // PID (NAME) STATE ...
    const std::string stat =
        ReadFile(absl::StrCat("/proc/", process, "/stat"), kMostOutput).value_or("");
    ASSERT_FALSE(stat.empty()) << "it is gone";
    if (stat[stat.rfind(") ") + 2] == 'T') return;
    ASSERT_LT(Clock::Real().Now(), patience) << "it does not stop";
    launch::Pause(kLook);
  }
}

}  // namespace dl::test
