// The log: lines for users on stderr. stdout is reserved for data. Each text begins a line of one
// format: "2026-01-31T12:00:00.123Z W master: text", where the name is set by SetLogName (the role
// of the process). Further lines of a text are indented. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace dl {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

// Parses "debug", "info", "warning", "error" or "off". Returns InvalidArgument for other words.
StatusOr<LogLevel> ParseLogLevel(std::string_view word);

// Sets the level. Takes precedence over DL_LOG, which is read once, at the first use of the log.
// Without either the level is kInfo. An invalid DL_LOG is reported once and counts as kInfo.
void SetLogLevel(LogLevel level);
void SetLogName(std::string_view name);  // "": lines have no name
// Redirects standard error, including the log, to a file that is replaced when it is full
// (base/log_file.h). May be called once. Returns the errors of LogFile::Open.
Status LogToFile(const std::string& path);
// Returns whether lines of this level are written.
bool LogEnabled(LogLevel level);
// Writes a text if its level is enabled. Control characters are escaped, because texts of peers are
// logged.
void LogLine(LogLevel level, std::string_view text);

// The pieces are concatenated as by absl::StrCat, only if the level is enabled.
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
