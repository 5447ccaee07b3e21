// Masters and executors that run detached from the command that started them, and their messages to
// service managers.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"
#include "base/files.h"
#include "base/thread.h"
#include "base/usable_cores.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "launch/daemons/data_folder.h"
#include "launch/daemons/service_notices.h"
#include "launch/host_name.h"
#include "launch/pause.h"
#include "tests/integration/bounds.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"
#include "tests/support/temp_folder.h"

namespace dl::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class DaemonsTest : public testing::Test {
 protected:
  void TearDown() override {
    for (const Json& daemon : Ask({"daemons", "--json"}).lines) {
      if (daemon.value("pid", 0) != 0) kill(daemon.value("pid", 0), SIGKILL);
    }
  }

  Finished Ask(const std::vector<std::string>& words) {
    return DlSubmit(words, kTimeout, {"env", "DL_DATA_DIR=" + folder_ / "state"});
  }
  Finished StartMaster() { return Ask({"master", "--detach", "--port", "0"}); }
  Finished StartExecutor(const std::string& url, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"executor", "--detach", "--master", url, "--name", "one"};
    words.insert(words.end(), more.begin(), more.end());
    return Ask(words);
  }
  Json Daemon(const std::string& name) {
    for (const Json& daemon : Ask({"daemons", "--json"}).lines) {
      if (daemon.value("daemon", "") == name) return daemon;
    }
    return Json::object();
  }
  std::string TypeSaidBy(const std::string& name) {
    const Json said = Daemon(name).value("said", Json());
    return said.is_object() ? said.value("type", "") : "";
  }
  std::string FolderOf(const std::string& name) const {
    return folder_ / "state/daemons/" + launch::HostName() + "/" + name;
  }

  const TempFolder folder_;
};

TEST_F(DaemonsTest, DetachedDaemonsRunUntilStopped) {
  const Finished master = StartMaster();
  ASSERT_EQ(master.exit_code, 0) << master.errors;
  EXPECT_EQ(master.result().value("type", ""), "ready");
  const std::string url = master.result().value("url", "");
  const Finished executor = StartExecutor(url);
  ASSERT_EQ(executor.exit_code, 0) << executor.errors;
  EXPECT_EQ(executor.result().value("type", ""), "ready") << executor.text;
  EXPECT_EQ(executor.result().value("daemon", ""), "one");
  const int64_t pid = executor.result().value("pid", int64_t{0});
  EXPECT_EQ(Daemon("one").value("pid", int64_t{0}), pid);
  // It has a session of its own, so the end of a terminal does not stop it.
  EXPECT_EQ(getsid(static_cast<pid_t>(pid)), pid);
  EXPECT_THAT(ReadFile(executor.result().value("log", ""), 1 << 20).value_or(""),
              HasSubstr("registered with the master"));

  const Finished again = StartExecutor(url);
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_TRUE(again.result().value("already", false)) << again.text;
  EXPECT_EQ(again.result().value("pid", int64_t{0}), pid);
  const Finished other = StartExecutor(url, {"--slots", "2"});
  EXPECT_EQ(other.exit_code, 75);
  EXPECT_THAT(other.errors, AllOf(HasSubstr("already runs with other flags"),
                                  HasSubstr("dl-submit daemons stop one")));

  EXPECT_EQ(Ask({"daemons", "stop", "one"}).exit_code, 0);
  EXPECT_EQ(Ask({"daemons", "stop", "one"}).exit_code, 4);
  EXPECT_EQ(Ask({"daemons", "stop", "../state"}).exit_code, 4);
  EXPECT_EQ(Daemon("one").value("pid", int64_t{-1}), 0);
  EXPECT_EQ(Ask({"daemons", "stop", "master"}).exit_code, 0);
}

// The token can be read only once. The daemon keeps it, also when it restarts itself.
TEST_F(DaemonsTest, ExecutorStoresTokenFromStandardInput) {
  const Finished master = StartMaster();
  ASSERT_EQ(master.exit_code, 0) << master.errors;
  const std::string token = ReadFile(folder_ / "state/token", 4096).value_or("");
  ASSERT_FALSE(token.empty());
  auto child = Spawner::Real().Start(
      {.argv = {Binary("dl-submit"), "executor", "--detach", "--master",
                master.result().value("url", ""), "--token-file", "-", "--name", "one"},
       .env = {"DL_DATA_DIR=" + folder_ / "state", "HOME=" + folder_ / "nobody"},
       .out = ChildOutput::Pipe(),
       .in = token});
  ASSERT_TRUE(child.ok()) << child.status();
  EXPECT_THAT((*child)->ReadAll(kTimeout, 1 << 20).value_or(""), HasSubstr("\"type\":\"ready\""));
  EXPECT_EQ(Daemon("one").value("command", "").find("dl1."), std::string::npos);
  EXPECT_EQ(access((FolderOf("one") + "/token").c_str(), F_OK), 0);
  EXPECT_EQ(Ask({"daemons", "stop", "one"}).exit_code, 0);
  EXPECT_NE(access((FolderOf("one") + "/token").c_str(), F_OK), 0) << "it is needed no more";
}

TEST_F(DaemonsTest, FailedStartPrintsDaemonError) {
  const Finished taken = StartMaster();
  ASSERT_EQ(taken.exit_code, 0) << taken.errors;
  const Finished refused =
      StartExecutor(taken.result().value("url", ""), {"--token-file", "/nowhere/token", "--json"});
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_EQ(refused.result().value("exit_code", 0), 4) << refused.text;
  EXPECT_THAT(refused.errors, HasSubstr("/nowhere/token"));
  EXPECT_THAT(Ask({"daemons"}).text, HasSubstr("ended: cannot open the file"));
}

// An executor without a master runs and reports that it waits. After a kill it is reported as
// ended.
TEST_F(DaemonsTest, ExecutorWithoutMasterReportsWaiting) {
  const Finished waiting = StartExecutor("dl://127.0.0.1:1");
  EXPECT_EQ(waiting.exit_code, 0) << waiting.errors;
  EXPECT_EQ(waiting.result().value("type", ""), "waiting");
  EXPECT_THAT(waiting.errors, HasSubstr("it waits: nothing listens on port 1"));
  EXPECT_THAT(Ask({"daemons"}).text, HasSubstr("waiting: nothing listens"));
  kill(waiting.result().value("pid", 0), SIGKILL);
  const Instant end = Clock::Real().Now() + kTimeout;
  while (Daemon("one").value("pid", 0) != 0 && Clock::Real().Now() < end) {
  }
  EXPECT_EQ(Daemon("one").value("pid", -1), 0);
}

// Its master started after it, and it is about to join.
TEST_F(DaemonsTest, StartOfRunningDaemonWaitsUntilReady) {
  const Finished master = StartMaster();  // only to choose a port
  ASSERT_EQ(master.exit_code, 0) << master.errors;
  const std::string url = master.result().value("url", "");
  EXPECT_EQ(Ask({"daemons", "stop", "master"}).exit_code, 0);
  auto starting = Spawner::Real().Start(
      {.argv = {Binary("dl-submit"), "executor", "--detach", "--master", url, "--name", "one"},
       .env = {"DL_DATA_DIR=" + folder_ / "state"}});
  ASSERT_TRUE(starting.ok()) << starting.status();
  const Instant end = Clock::Real().Now() + kTimeout;
  while (TypeSaidBy("one") != "waiting" && Clock::Real().Now() < end)
    launch::Pause(std::chrono::milliseconds(20));
  ASSERT_EQ(TypeSaidBy("one"), "waiting");
  // Kills the command that waits for the daemon, which would otherwise wait on.
  EXPECT_TRUE((*starting)->Signal(SIGKILL).ok());
  EXPECT_TRUE((*starting)->Wait(kTimeout).ok());

  const pid_t pid = Daemon("one").value("pid", 0);
  ASSERT_GT(pid, 0);
  kill(pid, SIGSTOP);
  const std::string port = absl::StrCat(master.result().value("port", 0));
  EXPECT_EQ(Ask({"master", "--detach", "--port", port}).exit_code, 0);
  Finished again;
  {
    std::atomic<bool> has_ended = false;
    const Thread other("other", [&] {
      again = StartExecutor(url);
      has_ended = true;
    });
    while (!has_ended && !launch::DataFolder::Holder(FolderOf("one")))
      launch::Pause(std::chrono::milliseconds(1));
    // The second command looks at the stopped daemon. If it did not wait, it would end within this
    // time.
    const Instant goes_on = Clock::Real().Now() + std::chrono::milliseconds(500);
    while (!has_ended && Clock::Real().Now() < goes_on) launch::Pause(std::chrono::milliseconds(1));
    kill(pid, SIGCONT);
  }
  EXPECT_EQ(again.result().value("type", ""), "ready") << again.text << again.errors;
  EXPECT_TRUE(again.result().value("already", false)) << again.text;
}

TEST_F(DaemonsTest, ConcurrentStartsGiveOneDaemon) {
  const Finished master = StartMaster();
  ASSERT_EQ(master.exit_code, 0) << master.errors;
  Finished first, second;
  {
    const Thread other("other", [&] { first = StartExecutor(master.result().value("url", "")); });
    second = StartExecutor(master.result().value("url", ""));
  }
  EXPECT_EQ(first.result().value("pid", -1), second.result().value("pid", -2))
      << first.errors << second.errors;
  EXPECT_NE(first.result().value("already", false), second.result().value("already", false));
}

// The recorded process number now belongs to another process: the test itself.
TEST_F(DaemonsTest, ReusedProcessIdIsNoDaemon) {
  ASSERT_TRUE(CreateFolders(FolderOf("one")).ok());
  const std::string machine =
      ReadFile("/proc/sys/kernel/random/boot_id", 4096).value_or("").substr(0, 36);
  const auto write = [&](int64_t birth, const std::string& start) {
    std::ofstream(FolderOf("one") + "/process.json")
        << Json({{"pid", getpid()}, {"birth", birth}, {"machine_start", start}, {"command", "x"}});
  };
  write(1, machine);
  EXPECT_EQ(Daemon("one").value("pid", -1), 0);
  EXPECT_EQ(Ask({"daemons", "stop", "one"}).exit_code, 4);
  std::ofstream(FolderOf("one") + "/process.json") << "{}";
  EXPECT_EQ(Daemon("one").value("pid", -1), 0);
}

// A socket that receives the datagrams of sd_notify(3).
class NotifySocket {
 public:
  explicit NotifySocket(const std::string& path)
      : path_(path), fd_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    EXPECT_EQ(bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    const timeval limit = {.tv_sec = 120, .tv_usec = 0};
    setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  }
  const std::string& path() const { return path_; }
  std::string Next() {  // empty if none arrives
    std::array<char, 4096> text = {};
    const ssize_t got = recv(fd_.get(), text.data(), text.size(), 0);
    return std::string(text.data(), static_cast<size_t>(std::max<ssize_t>(got, 0)));
  }
  // Waits for a message that contains the line. Returns false if none arrives.
  bool Hears(const std::string& line) {
    for (std::string heard = Next(); !heard.empty(); heard = Next()) {
      if (heard.find(line) != std::string::npos) return true;
    }
    return false;
  }

 private:
  const std::string path_;
  const FileDescriptor fd_;
};

std::unique_ptr<ChildProcess> StartService(const std::vector<std::string>& words,
                                           const NotifySocket& notify, const TempFolder& folder) {
  SpawnOptions options{.argv = {Binary("dl-submit")},
                       .env = {"NOTIFY_SOCKET=" + notify.path(), "WATCHDOG_USEC=90000",
                               "DL_DATA_DIR=" + folder / "state"},
                       .out = ChildOutput::Pipe()};
  options.argv.insert(options.argv.end(), words.begin(), words.end());
  auto child = Spawner::Real().Start(options);
  EXPECT_TRUE(child.ok()) << child.status();
  return child.ok() ? *std::move(child) : nullptr;
}

// Commands that do not compute need not restart themselves for this setting.
TEST(PassiveOpenMpTest, OnlyComputingProcessesWaitPassively) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr) GTEST_SKIP() << "OMP_WAIT_POLICY is set";
  const TempFolder folder;
  StandingCluster cluster(folder);
  cluster.StartMaster();
  cluster.StartExecutor();
  cluster.WaitForExecutor(0);
  const auto environment_of = [](pid_t process) {
    return ReadFile(absl::StrCat("/proc/", process, "/environ"), 1 << 20).value_or("");
  };
  EXPECT_THAT(environment_of(cluster.ExecutorPid(0)), HasSubstr("OMP_WAIT_POLICY=passive"));
  if (FindUsableCores().count > 1 && std::getenv("GOMP_SPINCOUNT") == nullptr) {
    EXPECT_THAT(environment_of(cluster.ExecutorPid(0)), HasSubstr("GOMP_SPINCOUNT=10000"));
  }
  EXPECT_THAT(environment_of(cluster.MasterPid()), Not(HasSubstr("OMP_WAIT_POLICY")));
}

TEST(ServiceNoticesTest, DaemonNotifiesReadyWatchdogAndStop) {
  const TempFolder folder;
  NotifySocket of_master(folder / "m"), of_executor(folder / "e");
  const auto master = StartService({"master", "--port", "0"}, of_master, folder);
  ASSERT_NE(master, nullptr);
  EXPECT_TRUE(of_master.Hears("READY=1\nSTATUS=listens on dl://127.0.0.1:"));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(of_master.Hears("WATCHDOG=1"));
  const auto line = ParseJson(master->ReadLine(kTimeout).value_or("{}"), "ready line");
  ASSERT_TRUE(line.ok());
  const auto executor =
      StartService({"executor", "--master", line->value("url", "")}, of_executor, folder);
  ASSERT_NE(executor, nullptr);
  EXPECT_TRUE(of_executor.Hears("READY=1\nSTATUS=registered at dl://"));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(of_executor.Hears("WATCHDOG=1"));
  const std::string job = WriteJob(folder, "job.json", MakeSample(folder, {.epochs = 100'000}));
  const Finished submitted =
      DlSubmit({"submit", job, "-d", "-q", "--master", line->value("url", "")});
  ASSERT_EQ(submitted.exit_code, 0) << submitted.errors;
  const std::string id = submitted.text.substr(0, submitted.text.find('\n'));
  EXPECT_TRUE(of_executor.Hears(absl::StrCat(": ", id, " round ")));
  EXPECT_TRUE(of_master.Hears(absl::StrCat(": 1 executor; ", id, " round ")));
  for (const auto& [child, notify] :
       {std::pair(executor.get(), &of_executor), {master.get(), &of_master}}) {
    (void)child->Signal(SIGTERM);
    EXPECT_TRUE(notify->Hears("STOPPING=1"));
    EXPECT_EQ(child->Wait(kTimeout).value_or(ExitStatus{.code = -1}), ExitStatus{});
  }
}

// A daemon whose core does not answer sends no messages: READY=1 is the first message to arrive.
TEST(ServiceNoticesTest, HangingDaemonSendsNoWatchdogNotice) {
  const TempFolder folder;
  NotifySocket notify(folder / "m");
  setenv("NOTIFY_SOCKET", notify.path().c_str(), 1);
  setenv("WATCHDOG_USEC", "3000", 1);
  std::atomic<int> asked = 0;
  {
    const launch::ServiceWatchdog watchdog([&] {
      ++asked;
      return false;
    });
    const Instant end = Clock::Real().Now() + kTimeout;
    while (asked < 3 && Clock::Real().Now() < end) launch::Pause(std::chrono::milliseconds(1));
  }
  EXPECT_GE(asked, 3);
  launch::ServiceNotices().Ready("x");
  unsetenv("NOTIFY_SOCKET");
  unsetenv("WATCHDOG_USEC");
  EXPECT_EQ(notify.Next(), "READY=1\nSTATUS=x\n");
}

}  // namespace
}  // namespace dl::test
