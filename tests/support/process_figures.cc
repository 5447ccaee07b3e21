#include "tests/support/process_figures.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "absl/strings/str_cat.h"

namespace dl::test {
namespace {

std::string ProcFile(pid_t process, const char* name) {
  return absl::StrCat("/proc/", process, "/", name);
}

std::set<std::string> SocketsOf(pid_t process) {
  std::set<std::string> inodes;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(ProcFile(process, "fd"), error)) {
    std::error_code gone;  // ignores a descriptor that was closed meanwhile
    const std::string target = std::filesystem::read_symlink(file.path(), gone).string();
    if (target.starts_with("socket:[")) inodes.insert(target.substr(8, target.size() - 9));
  }
  return inodes;
}

// Returns the port of an address such as "0100007F:1BA5".
int PortOf(const std::string& address) {
  return std::stoi(address.substr(address.rfind(':') + 1), nullptr, 16);
}

}  // namespace

int64_t ProcessStatus(pid_t process, const std::string& name) {
  std::ifstream status(ProcFile(process, "status"));
  std::string line;
  while (std::getline(status, line)) {
    if (!line.starts_with(name + ":")) continue;
    const int64_t value = std::stoll(line.substr(name.size() + 1));
    return line.ends_with(" kB") ? value << 10 : value;
  }
  return -1;
}

double ProcessCpuSeconds(pid_t process) {
  std::ifstream stat(ProcFile(process, "stat"));
  std::string text;
  std::getline(stat, text);
  const size_t name_end = text.rfind(") ");
  if (name_end == std::string::npos) return 0;
  // After the name follow the state, ten numbers, and the ticks in user and kernel mode.
  std::istringstream words(text.substr(name_end + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) words >> skipped;
  int64_t user = 0, kernel = 0;
  words >> user >> kernel;
  return static_cast<double>(user + kernel) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

int ConnectionsOf(pid_t process, int port) {
  const std::set<std::string> sockets = SocketsOf(process);
  int count = 0;
  std::ifstream tcp(ProcFile(process, "net/tcp"));
  std::string line;
  std::getline(tcp, line);  // the names of the columns
  while (std::getline(tcp, line)) {
    std::istringstream words(line);
    std::string number, local, remote, state, skipped, inode;
    words >> number >> local >> remote >> state;
    for (int i = 0; i < 5; ++i) words >> skipped;
    words >> inode;
    constexpr char kEstablished[] = "01";
    if (state != kEstablished || (PortOf(local) != port && PortOf(remote) != port)) continue;
    if (sockets.contains(inode)) ++count;
  }
  return count;
}

}  // namespace dl::test
