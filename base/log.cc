#include "base/log.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "base/log_file.h"
#include "base/log_queue.h"
#include "base/log_thread.h"
#include "base/mutex.h"
#include "base/printable.h"
#include "base/suggest.h"
#include "spdlog/pattern_formatter.h"
#include "spdlog/sinks/sink.h"
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

// None of these is ever destroyed: threads may log during static destruction. Null: standard error
// is not redirected; no LogThread exists.
std::atomic<LogFile*> log_file = nullptr;
std::atomic<LogQueue*> log_queue = nullptr;

// Set on the thread of the queue while it reports dropped lines: this line is never dropped.
thread_local bool reports_dropped = false;

// Writes without stdio: its lock would also stop the threads that write to std::cerr.
void WriteLine(const std::string& line) {
  for (std::string_view left = line; !left.empty();) {
    const ssize_t written = write(STDERR_FILENO, left.data(), left.size());
    if (written < 0 && errno == EAGAIN) {
      pollfd writable = {.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
      (void)poll(&writable, 1, -1);
    } else if (written < 0 && errno != EINTR) {
      return;
    }
    left.remove_prefix(static_cast<size_t>(std::max<ssize_t>(written, 0)));
  }
  if (LogFile* const file = log_file) file->Count(static_cast<int64_t>(line.size()));
}

class Sink final : public spdlog::sinks::sink {
 public:
  void log(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t formatted;
    {
      MutexLock lock(mutex_);
      formatter_->format(message, formatted);
    }
    std::string line(formatted.data(), formatted.size());
    LogQueue* const queue = log_queue;
    if (queue != nullptr && !reports_dropped) return queue->Push(std::move(line));
    WriteLine(line);
  }
  void flush() override {}
  void set_pattern(const std::string& pattern) override {
    set_formatter(std::make_unique<spdlog::pattern_formatter>(pattern));
  }
  void set_formatter(std::unique_ptr<spdlog::formatter> formatter) override {
    MutexLock lock(mutex_);
    formatter_ = std::move(formatter);
  }

 private:
  Mutex mutex_;
  std::unique_ptr<spdlog::formatter> formatter_ DL_GUARDED_BY(mutex_);
};

spdlog::logger& Logger() {
  static spdlog::logger* const logger = [] {
    auto made = new spdlog::logger("dl", std::make_shared<Sink>());
    made->set_formatter(LineFormat(""));
    made->set_level(spdlog::level::info);
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

}  // namespace

LogThread::LogThread() {
  const auto report = [](int64_t lines) {
    reports_dropped = true;
    LogError(lines, " lines of the log were dropped, because the log could not be written in time");
    reports_dropped = false;
  };
  auto queue = LogQueue::Start({.write = WriteLine, .on_dropped = report});
  DL_CHECK(log_queue == nullptr);
  if (queue.ok()) log_queue = queue->release();
}

// The queue stays if its thread waits for a write. It drops lines until the process has ended.
LogThread::~LogThread() {
  LogQueue* const queue = log_queue;
  if (queue != nullptr && queue->Flush(kLogFlushTimeout)) log_queue = nullptr;
}

void FlushLog(Duration timeout) {
  if (LogQueue* const queue = log_queue) (void)queue->Flush(timeout);
}

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
}

}  // namespace dl
