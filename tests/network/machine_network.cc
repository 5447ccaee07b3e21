#include "tests/network/machine_network.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/files.h"
#include "base/process.h"
#include "gtest/gtest.h"

namespace dl::test {
namespace {

constexpr char kSwitch[] = "switch";
constexpr char kSpaces[] = "/run/netns";  // folder in which iproute2 keeps the names of namespaces
constexpr Duration kLimit = std::chrono::minutes(1);

// Runs a command. Returns its error output if it failed, otherwise "".
std::string Try(const std::vector<std::string>& words) {
  const TempFolder folder;
  auto child = Spawner::Real().Start(
      {.argv = words, .out = ChildOutput::Discard(), .err = ChildOutput::File(folder / "err")});
  if (!child.ok()) return DescribeError(child.status());
  const auto ended = (*child)->Wait(kLimit);
  if (!ended.ok()) return DescribeError(ended.status());
  if (*ended == ExitStatus{}) return "";
  return absl::StrCat(absl::StrJoin(words, " "), " ", ToString(*ended), ": ",
                      ReadFile(folder / "err", 1 << 16).value_or(""));
}

void Do(const std::vector<std::string>& words) { ASSERT_EQ(Try(words), ""); }

std::vector<std::string> Within(const std::string& space, std::vector<std::string> words) {
  words.insert(words.begin(), {"ip", "netns", "exec", space});
  return words;
}

// Gives this process its own mounts, so that names of namespaces, which are mounts, stay private.
// Returns "" or why this failed.
std::string HideMounts() {
  const auto because = [](const char* what) { return absl::StrCat(what, ": ", strerror(errno)); };
  if (unshare(CLONE_NEWNS) != 0) return because("mounts of its own");
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return because("mounts");
  if (mkdir(kSpaces, 0755) != 0 && errno != EEXIST) return because(kSpaces);
  if (mount("none", kSpaces, "tmpfs", 0, nullptr) != 0) return because(kSpaces);
  return "";
}

std::string Prepare() {
  if (geteuid() != 0) return "only root makes network namespaces";
  if (const std::string why = HideMounts(); !why.empty()) return why;
  if (const std::string why = Try({"ip", "netns", "add", "probe"}); !why.empty()) return why;
  for (const char* tool : {"iptables", "ip6tables"}) {
    const std::string why = Try(Within(
        "probe", {tool, "-w", "-A", "INPUT", "-m", "statistic", "--mode", "random", "--probability",
                  "0.5", "-m", "length", "--length", "600:65535", "-j", "DROP"}));
    if (!why.empty()) return why;
  }
  return Try({"ip", "netns", "delete", "probe"});
}

}  // namespace

Machine::Machine(std::string name, int number, const TempFolder& folder)
    : name_(std::move(name)),
      port_(absl::StrCat("port", number)),
      v4_(absl::StrCat("10.77.0.", number)),
      v6_(absl::StrCat("fd77::", number)),
      hosts_path_(folder / ("hosts-" + name_)),
      home_(folder / ("home-" + name_)) {
  EXPECT_EQ(mkdir(home_.c_str(), 0700), 0) << strerror(errno);
  Do({"ip", "netns", "add", name_});
  Do({"ip", "-n", kSwitch, "link", "add", port_, "type", "veth", "peer", "name", "cable", "netns",
      name_});
  Do({"ip", "-n", kSwitch, "link", "set", port_, "master", "bridge", "up"});
  Do({"ip", "-n", name_, "link", "set", "lo", "up"});
  Do({"ip", "-n", name_, "address", "add", v4_ + "/24", "dev", "cable"});
  Plug();
  space_ = FileDescriptor(open(absl::StrCat(kSpaces, "/", name_).c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(space_.valid()) << strerror(errno);
}

std::vector<std::string> Machine::place() const {
  return Within(name_, {"env", "HOME=" + home_, "sh", "-c",
                        "mount --bind \"$0\" /etc/hosts && exec \"$@\"", hosts_path_});
}

void Machine::Enter() const { ASSERT_EQ(setns(space_.get(), CLONE_NEWNET), 0) << strerror(errno); }

void Machine::Unplug() { Do({"ip", "-n", name_, "link", "set", "cable", "down"}); }

void Machine::Plug() {
  Do({"ip", "-n", name_, "link", "set", "cable", "up"});
  // The address disappears with the cable. "nodad" skips the check for duplicates.
  Do({"ip", "-n", name_, "address", "replace", v6_ + "/64", "dev", "cable", "nodad"});
}

void Machine::Lose(Direction direction, int percent) {
  const char* chain = direction == Direction::kIncoming ? "INPUT" : "OUTPUT";
  for (const char* tool : {"iptables", "ip6tables"}) {
    Do(Within(name_, {tool, "-w", "-F", chain}));
    if (percent == 0) continue;
    Do(Within(name_, {tool, "-w", "-A", chain, "-m", "statistic", "--mode", "random",
                      "--probability", absl::StrCat(percent / 100.0), "-j", "DROP"}));
  }
}

// Drops them at the receiver. If the sender dropped them, its kernel would report the error.
void Machine::LoseLarge(const Machine& from, int bytes) {
  for (const auto& [tool, address] : {std::pair("iptables", from.v4()), {"ip6tables", from.v6()}}) {
    Do(Within(name_, {tool, "-w", "-F", "INPUT"}));
    if (bytes == 0) continue;
    Do(Within(name_, {tool, "-w", "-A", "INPUT", "-s", address, "-m", "length", "--length",
                      absl::StrCat(bytes + 1, ":65535"), "-j", "DROP"}));
  }
}

void Machine::LimitRate(int megabits) {
  for (const auto& [space, device] : {std::pair(name_, std::string("cable")), {kSwitch, port_}}) {
    Do({"tc", "-n", space, "qdisc", "replace", "dev", device, "root", "tbf", "rate",
        absl::StrCat(megabits, "mbit"), "burst", "64kb", "latency", "50ms"});
  }
}

void Machine::Resolve(const std::string& name, const std::string& address) {
  std::erase_if(names_, [&](const auto& known) { return known.first == name; });
  names_.emplace_back(name, address);
  WriteHosts();
}

void Machine::WriteHosts() const {
  std::ofstream hosts(hosts_path_, std::ios::trunc);  // keeps the inode, because the file is
                                                      // mounted elsewhere
  hosts << "127.0.0.1 localhost\n";
  for (const auto& [name, address] : names_) hosts << address << " " << name << "\n";
}

std::string Network::WhyNot() {
  static const std::string why = Prepare();
  return why;
}

Network::Network() {
  EXPECT_EQ(WhyNot(), "");
  Do({"ip", "netns", "add", kSwitch});
  Do({"ip", "-n", kSwitch, "link", "add", "bridge", "type", "bridge"});
  Do({"ip", "-n", kSwitch, "link", "set", "bridge", "up"});
}

Network::~Network() {
  for (const auto& machine : machines_) (void)Try({"ip", "netns", "delete", machine->name()});
  (void)Try({"ip", "netns", "delete", kSwitch});
}

Machine& Network::Add(const std::string& name) {
  machines_.push_back(
      std::unique_ptr<Machine>(new Machine(name, static_cast<int>(machines_.size()) + 1, folder_)));
  Machine& added = *machines_.back();
  for (const auto& machine : machines_) {
    machine->Resolve(name, added.v4());
    machine->Resolve(name + "-v6", added.v6());
    if (machine.get() == &added) continue;
    added.Resolve(machine->name(), machine->v4());
    added.Resolve(machine->name() + "-v6", machine->v6());
  }
  return added;
}

Machine& Network::Find(const std::string& name) {
  const auto found =
      std::ranges::find_if(machines_, [&](const auto& machine) { return machine->name() == name; });
  DL_CHECK(found != machines_.end());
  return **found;
}

}  // namespace dl::test
