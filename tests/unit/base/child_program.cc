// Program that the tests of process.h, log.h and fail_point.h start. Its first argument selects
// what it does.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

#include "base/fail_point.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/log_thread.h"
#include "base/process.h"

namespace {

// Starts a child process, prints the child's pid, and hangs.
int Parent() {
  auto child = dl::Spawner::Real().Start({.argv = {"sleep", "1000"}});
  if (!child.ok()) return 1;
  std::printf("%d\n", (*child)->pid());
  std::fflush(stdout);
  pause();
  return 0;
}

// Passes a fail point five times and prints a line after each.
int PassPoints() {
  for (int i = 1; i <= 5; ++i) {
    const bool ok = dl::FailPoint("child.step").ok();
    std::printf("%d %s\n", i, ok ? "ok" : "failed");
    std::fflush(stdout);
  }
  return 0;
}

// Writes three times the size limit of a log file.
int WriteLongLog(const char* path) {
  if (!dl::LogToFile(path).ok()) return 1;
  const std::string text(64 << 10, 'x');
  for (int64_t bytes = 0; bytes < 3 * dl::limits::kMaxLogBytes; bytes += 64 << 10)
    dl::LogInfo(text);
  std::fputs("the end\n", stderr);
  return 0;
}

// Logs 3,072 lines of 1 KiB with a LogThread.
int WriteLogOnThread() {
  const dl::LogThread log_thread;
  const std::string text(1 << 10, 'x');
  for (int i = 0; i < 3072; ++i) dl::LogInfo(text);
  std::puts("logged");
  std::fflush(stdout);
  dl::FlushLog(std::chrono::minutes(10));
  return 0;
}

int WriteLog() {
  dl::SetLogName("child");
  dl::LogDebug("fine ", 1);
  dl::LogInfo("plain ", 2);
  dl::LogError("bad {} %d ", 3);
  dl::LogInfo("of a peer\n2026-01-31T12:00:00.123Z E child: forged\x1b[2J");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "parent") return Parent();
  if (what == "points") return PassPoints();
  if (what == "log") return WriteLog();
  if (what == "log-thread") return WriteLogOnThread();
  if (what == "long-log" && argc > 2) return WriteLongLog(argv[2]);
  return 2;
}
