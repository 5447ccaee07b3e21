#include "launch/listener_owner.h"

#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/files.h"

namespace dl::launch {
namespace {

constexpr int64_t kMaxTableBytes = 64 << 20;

// "  0: 0100007F:1BA5 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 ..."
// (proc(5)): state 0A listens, and the eighth word is the user.
std::optional<uid_t> FindIn(const std::string& table, int port) {
  const auto text = ReadFile(table, kMaxTableBytes);
  if (!text.ok()) return std::nullopt;
  const std::vector<std::string> lines = absl::StrSplit(*text, '\n');
  for (const std::string& line : lines) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.size() < 8 || words[3] != "0A") continue;
    const size_t colon = words[1].rfind(':');
    uint32_t at = 0, user = 0;
    if (colon == std::string::npos || !absl::SimpleHexAtoi(words[1].substr(colon + 1), &at) ||
        static_cast<int>(at) != port || !absl::SimpleAtoi(words[7], &user)) {
      continue;
    }
    return user;
  }
  return std::nullopt;
}

}  // namespace

std::optional<uid_t> OwnerOfListener(int port) {
  if (auto found = FindIn("/proc/net/tcp", port)) return found;
  return FindIn("/proc/net/tcp6", port);
}

}  // namespace dl::launch
