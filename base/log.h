// The log: lines for people on stderr, never on stdout (stdout is data). One format:
// "2026-01-31T12:00:00.123Z W master: text", where the name is what SetLogName gave (a process's
// role). Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace dl {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

// "debug", "info", "warning", "error", "off".
StatusOr<LogLevel> ParseLogLevel(std::string_view word);

// Takes precedence over DL_LOG, which is read once, at the first line; without either the level is
// kInfo. A DL_LOG that is no level is reported once and counts as kInfo.
void SetLogLevel(LogLevel level);
void SetLogName(std::string_view name);
// Sends standard error, and with it the log, to a file that is replaced when it is full
// (base/log_file.h). Once.
Status LogToFile(const std::string& path);
bool LogEnabled(LogLevel level);
void LogLine(LogLevel level, std::string_view text);

// The pieces are put together as absl::StrCat does, and only when the level is on.
template <typename... Pieces>
void LogDebug(const Pieces&... pieces) {
  if (LogEnabled(LogLevel::kDebug)) LogLine(LogLevel::kDebug, absl::StrCat(pieces...));
}
template <typename... Pieces>
void LogInfo(const Pieces&... pieces) {
  if (LogEnabled(LogLevel::kInfo)) LogLine(LogLevel::kInfo, absl::StrCat(pieces...));
}
template <typename... Pieces>
void LogWarning(const Pieces&... pieces) {
  if (LogEnabled(LogLevel::kWarning)) LogLine(LogLevel::kWarning, absl::StrCat(pieces...));
}
template <typename... Pieces>
void LogError(const Pieces&... pieces) {
  if (LogEnabled(LogLevel::kError)) LogLine(LogLevel::kError, absl::StrCat(pieces...));
}

}  // namespace dl
