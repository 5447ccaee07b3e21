#include "base/log.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <vector>

#include "absl/strings/str_replace.h"
#include "base/log_file.h"
#include "base/printable.h"
#include "base/suggest.h"
#include "spdlog/pattern_formatter.h"
#include "spdlog/sinks/stdout_sinks.h"
#include "spdlog/spdlog.h"

namespace dl {
namespace {

constexpr std::array<std::string_view, 5> kLevelNames = {"debug", "info", "warning", "error",
                                                         "off"};

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

std::unique_ptr<spdlog::formatter> LineFormat(std::string_view name) {
  std::string pattern = "%Y-%m-%dT%H:%M:%S.%eZ %L ";
  for (char letter : name) pattern.append(letter == '%' ? "%%" : std::string(1, letter));
  if (!name.empty()) pattern += ": ";
  return std::make_unique<spdlog::pattern_formatter>(pattern + "%v",
                                                     spdlog::pattern_time_type::utc);
}

// Never destroyed: threads may log during static destruction.
spdlog::logger& Logger() {
  static spdlog::logger* const logger = [] {
    auto made = new spdlog::logger("dl", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_formatter(LineFormat(""));
    made->set_level(spdlog::level::info);
    made->flush_on(spdlog::level::trace);
    if (const char* word = std::getenv("DL_LOG"); word != nullptr && *word != '\0') {
      auto level = ParseLogLevel(word);
      if (level.ok()) {
        made->set_level(ToSpdlog(*level));
      } else {
        made->warn("DL_LOG: " + DescribeError(level.status()));
      }
    }
    return made;
  }();
  return *logger;
}

// Never destroyed either. Null if standard error is not redirected.
std::atomic<LogFile*> log_file = nullptr;

constexpr int64_t kLineHead = 32;  // approximate length of a line before its text

}  // namespace

Status LogToFile(const std::string& path) {
  auto file = std::make_unique<LogFile>(path);
  DL_RETURN_IF_ERROR(file->Open());
  DL_CHECK(log_file.exchange(file.release()) == nullptr);
  return absl::OkStatus();
}

StatusOr<LogLevel> ParseLogLevel(std::string_view word) {
  for (size_t i = 0; i < kLevelNames.size(); ++i) {
    if (kLevelNames[i] == word) return static_cast<LogLevel>(i);
  }
  const std::vector<std::string> names(kLevelNames.begin(), kLevelNames.end());
  return InvalidArgument({.message = absl::StrCat("\"", std::string(word), "\" is not a log level",
                                                  DidYouMean(word, names)),
                          .remedy = "Use debug, info, warning, error or off"});
}

void SetLogLevel(LogLevel level) { Logger().set_level(ToSpdlog(level)); }
void SetLogName(std::string_view name) { Logger().set_formatter(LineFormat(name)); }
bool LogEnabled(LogLevel level) { return Logger().should_log(ToSpdlog(level)); }

void LogLine(LogLevel level, std::string_view text) {
  // Texts of peers are in it. Only the first line of a text may look like a line of the log.
  const std::string line = absl::StrReplaceAll(PrintableText(text), {{"\n", "\n    "}});
  Logger().log(ToSpdlog(level), spdlog::string_view_t(line.data(), line.size()));
  if (LogFile* const file = log_file) file->Count(kLineHead + static_cast<int64_t>(line.size()));
}

}  // namespace dl
