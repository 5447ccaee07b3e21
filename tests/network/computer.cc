#include "tests/network/computer.h"

#include <unistd.h>

#include <fstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/files.h"
#include "gtest/gtest.h"
#include "launch/pause.h"

namespace dl::test {
namespace {

constexpr Duration kTimeout = std::chrono::minutes(2);
constexpr char kDaemon[] = "/usr/sbin/sshd";

void MakeKey(const std::string& path) {
  auto made =
      Spawner::Real().Start({.argv = {"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path}});
  ASSERT_TRUE(made.ok()) << made.status();
  const auto ended = (*made)->Wait(kTimeout);
  ASSERT_TRUE(ended.ok() && *ended == ExitStatus{}) << path;
}

// Returns the process that `unshare` started. 0 if it has not started yet.
pid_t ChildOf(pid_t parent) {
  std::ifstream children(absl::StrCat("/proc/", parent, "/task/", parent, "/children"));
  pid_t child = 0;
  children >> child;
  return children ? child : 0;
}

}  // namespace

SshKeys::SshKeys(const TempFolder& folder)
    : host_key_(folder / "host-key"),
      authorized_(folder / "user-key.pub"),
      config_(folder / "ssh-config"),
      stranger_(folder / "ssh-config-stranger") {
  MakeKey(host_key_);
  MakeKey(folder / "user-key");
  const std::string host = ReadFile(host_key_ + ".pub", 1 << 16).value_or("");
  const std::string known = folder.Write("known-hosts", "* " + host);
  for (const auto& [path, known_hosts] : {std::pair(config_, known), {stranger_, "/dev/null"}}) {
    std::ofstream(path) << "User root\nIdentitiesOnly yes\nIdentityFile " << folder / "user-key"
                        << "\nUserKnownHostsFile " << known_hosts
                        << "\nGlobalKnownHostsFile /dev/null\nStrictHostKeyChecking yes\n";
  }
}

std::string Computer::WhyNot() {
  if (std::string why = Network::WhyNot(); !why.empty()) return why;
  return access(kDaemon, X_OK) == 0 ? "" : "there is no sshd (openssh-server)";
}

Computer::Computer(const Machine& machine, const SshKeys& keys, const TempFolder& folder,
                   const std::string& authorized)
    : name_(machine.name()),
      home_(machine.home()),
      state_dir_(folder / ("state-" + machine.name())) {
  const std::string ready = folder / ("ready-" + name_);
  const std::string config =
      folder.Write("sshd-config-" + name_,
                   absl::StrCat("HostKey ", keys.host_key(), "\nAuthorizedKeysFile ",
                                authorized.empty() ? "/dev/null" : authorized, "\nPidFile ", ready,
                                "\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
                                "PermitRootLogin yes\nSetEnv DL_DATA_DIR=",
                                state_dir_, " HOME=", home_, "\n"));
  std::vector<std::string> words = machine.place();
  // sshd needs a folder below /run.
  words.insert(words.end(),
               {"unshare", "--fork", "--pid", "--uts", "--kill-child", "--mount-proc", "sh", "-c",
                "hostname \"$1\" && mount -t tmpfs none /run && mkdir -m 755 /run/sshd && "
                "exec \"$2\" -D -e -f \"$3\"",
                "sh", name_, kDaemon, config});
  auto started = Spawner::Real().Start(
      {.argv = words, .err = ChildOutput::File(folder / ("sshd-log-" + name_))});
  if (!started.ok()) {
    ADD_FAILURE() << DescribeError(started.status());
    return;
  }
  process_ = *std::move(started);
  const Instant end = Clock::Real().Now() + kTimeout;
  while (access(ready.c_str(), F_OK) != 0 && Clock::Real().Now() < end)
    launch::Pause(std::chrono::milliseconds(10));
  first_ = ChildOf(process_->pid());
  EXPECT_NE(first_, 0) << ReadFile(folder / ("sshd-log-" + name_), 1 << 16).value_or("");
}

std::vector<std::string> Computer::place() const {
  return {"nsenter",
          absl::StrCat("--target=", first_),
          "--mount",
          "--pid",
          "--uts",
          "--net",
          "env",
          "HOME=" + home_,
          "DL_DATA_DIR=" + state_dir_};
}

}  // namespace dl::test
