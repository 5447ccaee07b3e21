#include "base/machine_memory.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/control_groups.h"
#include "base/files.h"
#include "base/limits.h"

namespace dl {
namespace {

constexpr int64_t kLeast = 1 << 20;
// Address space for the stacks of a computing process and for the buffers of its libraries.
constexpr int64_t kThreadsBytes = int64_t{512} << 20;

std::string MiB(int64_t bytes) { return absl::StrCat(bytes >> 20, " MiB"); }

// Returns a line of /proc/self/status, as "RssAnon:  1234 kB", in bytes; 0 if it does not exist.
int64_t OwnBytes(const std::string& root, const std::string& name) {
  const std::string text =
      ReadFile(root + "/proc/self/status", limits::kMaxHolderBytes).value_or("");
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(text, '\n'))) {
    const std::vector<std::string> words =
        absl::StrSplit(line, absl::ByAnyChar("\t :"), absl::SkipEmpty());
    int64_t kilobytes = 0;
    if (words.size() == 3 && words[0] == name && absl::SimpleAtoi(words[1], &kilobytes))
      return kilobytes << 10;
  }
  return 0;
}

void Lower(AvailableMemory& memory, int64_t bytes, std::string limit) {
  if (bytes >= memory.bytes) return;
  memory = {.bytes = std::max(bytes, kLeast), .limit = std::move(limit)};
}

void LowerToGroups(const std::string& root, AvailableMemory& memory) {
  const int64_t own = OwnBytes(root, "RssAnon");
  for (const GroupLimit& group : ReadControlGroups(root).memory) {
    const int64_t others = std::max<int64_t>(0, group.used - own);
    std::string limit =
        absl::StrCat("the memory limit of ", MiB(group.limit), " (", group.file, ")");
    if (others >= kLeast) absl::StrAppend(&limit, ", of which other processes use ", MiB(others));
    Lower(memory, group.limit - others, std::move(limit));
  }
}

// Applies a limit of this process. Its program and libraries count as used.
void LowerToUlimit(int resource, const char* flag, int64_t used, AvailableMemory& memory) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const auto bytes = static_cast<int64_t>(std::min<rlim_t>(limit.rlim_cur, rlim_t{1} << 62));
  Lower(memory, bytes - used,
        absl::StrCat("ulimit ", flag, " of ", MiB(bytes), ", of which this process uses ",
                     MiB(used)));
}

}  // namespace

AvailableMemory FindAvailableMemory(const std::string& root) {
  AvailableMemory memory{
      .bytes = std::max(kLeast, int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE))};
  LowerToGroups(root, memory);
  LowerToUlimit(RLIMIT_AS, "-v", OwnBytes(root, "VmSize"), memory);
  LowerToUlimit(RLIMIT_DATA, "-d", OwnBytes(root, "VmData"), memory);
  return memory;
}

int64_t AvailableMemoryBytes() { return FindAvailableMemory().bytes; }

std::string FindThrottlingLimit(const std::string& root) {
  for (const GroupLimit& group : ReadControlGroups(root).memory) {
    // The kernel holds the use near the limit, so it is not always above it.
    if (!group.file.ends_with("/memory.high") || group.used < group.limit / 16 * 15) continue;
    return absl::StrCat("the memory limit of ", MiB(group.limit), " (", group.file, "), of which ",
                        MiB(group.used), " are used");
  }
  return "";
}

Status PrepareForAddressSpaceLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return absl::OkStatus();
  (void)mallopt(M_ARENA_MAX, 1);  // each additional arena reserves 64 MiB
  const int64_t used = OwnBytes("", "VmSize");
  const auto bytes = static_cast<int64_t>(std::min<rlim_t>(limit.rlim_cur, rlim_t{1} << 62));
  if (bytes - used >= kThreadsBytes) return absl::OkStatus();
  return ResourceExhausted(
      {.message = absl::StrCat("too little address space: ulimit -v allows ", MiB(bytes),
                               ", this process uses ", MiB(used),
                               " of it, and its threads and data need at least ",
                               MiB(kThreadsBytes), " more"),
       .where = "ulimit -v",
       .remedy = absl::StrCat("Raise the limit to ", (used + 2 * kThreadsBytes) >> 10,
                              " or more, or remove it: ulimit -v unlimited")});
}

int64_t MemoryForData(int64_t bytes) {
  constexpr int64_t kProgramBytes = 64 << 20;
  return std::max(bytes / 2, bytes - kProgramBytes);
}

}  // namespace dl
