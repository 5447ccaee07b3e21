// Log lines about executors that join and leave.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "master/core/master_step.h"

namespace dl::master {

// Writes at most kMostLines lines a second and drops the others. The next line in a later second
// follows a line with the number of dropped lines. A client that registers in a loop therefore
// cannot fill the log files quickly.
class PresenceLines {
 public:
  static constexpr int64_t kMostLines = 20;

  explicit PresenceLines(CurrentStep& step) : step_(step) {}

  void Write(std::string line) {
    if (step_.now >= second_ + std::chrono::seconds(1)) {
      if (left_out_ > 0)
        step_.WriteLog(absl::StrCat("executors joined and left ", left_out_, " times more"));
      second_ = step_.now;
      written_ = left_out_ = 0;
    }
    if (written_ >= kMostLines) {
      ++left_out_;
      return;
    }
    ++written_;
    step_.WriteLog(std::move(line));
  }

 private:
  CurrentStep& step_;
  Instant second_;  // start of the current second
  int64_t written_ = 0, left_out_ = 0;
};

}  // namespace dl::master
