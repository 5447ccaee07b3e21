#include "launch/clusters/ended_process.h"

#include <csignal>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/files.h"
#include "base/machine_memory.h"

namespace dl::launch {
namespace {

constexpr int64_t kMaxBytes = 1 << 20;
constexpr std::string_view kError = "error: ", kAt = "  at: ", kTry = "  try: ";

}  // namespace

std::optional<LoggedError> LastLoggedError(const std::string& log_path) {
  const auto log = ReadFile(log_path, kMaxBytes);
  if (!log.ok()) return std::nullopt;
  const std::vector<std::string> lines = absl::StrSplit(*log, '\n', absl::SkipEmpty());
  if (lines.empty()) return std::nullopt;
  LoggedError error;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (line->starts_with(kError)) {
      error.message = line->substr(kError.size());
      return error;
    }
    if (line->starts_with(kTry)) error.remedy = line->substr(kTry.size());
    if (!line->starts_with(kTry) && !line->starts_with(kAt)) break;
  }
  return LoggedError{.message = lines.back(), .remedy = {}};
}

std::string DescribeEnd(const ExitStatus& ended) {
  if (ended.signal != SIGKILL) return ToString(ended);
  const std::string limit = FindAvailableMemory().limit;
  return limit.empty() ? ToString(ended) : absl::StrCat(ToString(ended), ", probably by ", limit);
}

}  // namespace dl::launch
