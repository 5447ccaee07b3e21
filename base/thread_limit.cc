#include "base/thread_limit.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/control_groups.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/machine_memory.h"
#include "base/system_error.h"

namespace dl {
namespace {

// A limit with so few left may have caused a failed start, because others may have ended since.
constexpr int64_t kFewLeft = 4;
constexpr int64_t kSmallLimit = 100;  // of processes and threads
// Address space for the stack of a thread and its part of the heap.
constexpr int64_t kThreadBytes = int64_t{80} << 20;

// Returns the numbers of a line "Name:  1  2" of /proc/PID/status.
std::vector<int64_t> NumbersOf(const std::string& status, const std::string& name) {
  std::vector<int64_t> numbers;
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(status, '\n'))) {
    if (!line.starts_with(name + ":")) continue;
    for (const auto& word :
         absl::StrSplit(line.substr(name.size() + 1), absl::ByAnyChar(" \t"), absl::SkipEmpty())) {
      int64_t number = 0;
      if (absl::SimpleAtoi(word, &number)) numbers.push_back(number);
    }
  }
  return numbers;
}

int64_t ThreadsOfUser(const std::string& root, uid_t user) {
  const std::string proc = root + "/proc";
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(proc.c_str()), closedir);
  int64_t threads = 0;
  while (folder != nullptr) {
    const dirent* const entry = readdir(folder.get());
    if (entry == nullptr) break;
    int64_t pid = 0;
    if (!absl::SimpleAtoi(entry->d_name, &pid)) continue;
    const std::string status =
        ReadFile(absl::StrCat(proc, "/", pid, "/status"), limits::kMaxHolderBytes).value_or("");
    const std::vector<int64_t> users = NumbersOf(status, "Uid"),
                               count = NumbersOf(status, "Threads");
    if (!users.empty() && users[0] == static_cast<int64_t>(user) && !count.empty())
      threads += count[0];
  }
  return threads;
}

// Returns the number of threads of the machine, from "0.00 0.01 0.05 1/234 4567".
int64_t ThreadsOfMachine(const std::string& root) {
  const std::string text = ReadFile(root + "/proc/loadavg", limits::kMaxHolderBytes).value_or("");
  const std::vector<std::string> words = absl::StrSplit(text, absl::ByAnyChar(" /"));
  int64_t threads = 0;
  return words.size() > 4 && absl::SimpleAtoi(words[4], &threads) ? threads : 0;
}

void Lower(std::optional<ThreadLimit>& least, int64_t limit, int64_t used,
           const std::string& name) {
  if (least && least->limit - least->used <= limit - used) return;
  least = {.limit = limit,
           .used = used,
           .name = absl::StrCat(name, ", of which ", used, used == 1 ? " is used" : " are used")};
}

}  // namespace

std::optional<ThreadLimit> FindThreadLimit(const std::string& root) {
  std::optional<ThreadLimit> least;
  for (const char* file : {"/proc/sys/kernel/threads-max", "/proc/sys/kernel/pid_max"}) {
    int64_t limit = 0;
    if (const auto text = ReadFile(root + file, 64); text.ok() && absl::SimpleAtoi(*text, &limit)) {
      Lower(least, limit, ThreadsOfMachine(root),
            absl::StrCat("the limit of ", limit, " threads of the machine (", root, file, ")"));
    }
  }
  for (const GroupLimit& group : ReadControlGroups(root).processes) {
    Lower(least, group.limit, group.used,
          absl::StrCat("the limit of ", group.limit, " processes and threads (", group.file, ")"));
  }
  rlimit user{};
  if (geteuid() != 0 && getrlimit(RLIMIT_NPROC, &user) == 0 && user.rlim_cur != RLIM_INFINITY) {
    const auto limit = static_cast<int64_t>(user.rlim_cur);
    Lower(least, limit, ThreadsOfUser(root, getuid()),
          absl::StrCat("ulimit -u of ", limit, " processes and threads of this user"));
  }
  return least;
}

Status CannotStart(int error, const std::string& what) {
  const auto failed = [&](const std::string& limit) {
    return SystemError(
        error, limit.empty() ? "start " + what : absl::StrCat("start ", what, " (", limit, ")"),
        "this process");
  };
  if (error != EAGAIN && error != ENOMEM) return failed("");
  // Threads may have ended since the error, but a small limit is still the likely cause.
  const auto threads = FindThreadLimit();
  if (threads && (threads->limit - threads->used <= kFewLeft || threads->limit <= kSmallLimit))
    return WithRemedy(failed(threads->name),
                      "Raise that limit (ulimit -u, pids.max, TasksMax= of a systemd unit), or end "
                      "other processes");
  if (const AvailableMemory memory = FindAvailableMemory();
      !memory.limit.empty() && memory.bytes < kThreadBytes)
    return WithRemedy(failed(memory.limit), "Raise that limit");
  return failed("");
}

}  // namespace dl
