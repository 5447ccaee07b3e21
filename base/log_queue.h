// Lines of the log that wait for a thread which writes them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/thread.h"

namespace dl {

// Thread-safe.
class LogQueue {
 public:
  struct Options {
    std::function<void(const std::string&)> write;  // a line; may wait for any time
    // Called on the queue's thread after lines were dropped, when the lines before them are
    // written.
    std::function<void(int64_t lines)> on_dropped;
    size_t max_bytes = size_t{1} << 20;  // of waiting lines; lines being written do not count
  };
  // Returns the error of Thread::Start.
  static StatusOr<std::unique_ptr<LogQueue>> Start(Options options);
  // Writes all lines that wait. Waits for that without a limit.
  ~LogQueue();

  // Adds a line. Drops and counts it instead if more than max_bytes would wait. Never waits for
  // `write`.
  void Push(std::string line) DL_EXCLUDES(mutex_);
  // Waits until every line is written, also lines that are added meanwhile. Returns false if this
  // takes longer than `timeout`.
  bool Flush(Duration timeout) DL_EXCLUDES(mutex_);

 private:
  explicit LogQueue(Options options) : options_(std::move(options)) {}
  void Run() DL_EXCLUDES(mutex_);

  const Options options_;
  Mutex mutex_;
  CondVar changed_;
  bool stop_ DL_GUARDED_BY(mutex_) = false;
  bool is_writing_ DL_GUARDED_BY(mutex_) = false;
  std::vector<std::string> lines_ DL_GUARDED_BY(mutex_);
  size_t bytes_ DL_GUARDED_BY(mutex_) = 0;
  int64_t dropped_ DL_GUARDED_BY(mutex_) = 0;
  Thread thread_;
};

}  // namespace dl
