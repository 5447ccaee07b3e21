// Shows a job's events while they come: NDJSON or log lines on stdout, or progress on stderr (a
// live bar on a terminal, else a line for every epoch and one every 30 s).
#pragma once

#include <functional>
#include <iosfwd>
#include <set>
#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "cli/progress.h"

namespace dl::cli {

enum class EventStyle { kJson, kLog, kBar, kLines, kNone };

// Not thread-safe.
class EventOutput {
 public:
  struct Options {
    EventStyle style = EventStyle::kLines;
    std::function<int()> columns;      // kBar: of the terminal, which may be resized
    std::ostream* data = nullptr;      // outlives it; stdout
    std::ostream* progress = nullptr;  // outlives it; stderr
    const Clock* clock = &Clock::Real();
  };
  explicit EventOutput(Options options);
  ~EventOutput() { ClearBar(); }

  // Results are left to the caller, who knows the exit code.
  void Show(const Json& event);
  // A line for people on `progress`, above the bar; nothing with kJson and kNone.
  void Note(const std::string& line);
  void ClearBar();
  int64_t last_sequence() const { return last_sequence_; }

 private:
  const Options options_;
  JobProgress progress_;
  // Whether people see it in the line of an epoch: every epoch's end is one, unless told otherwise.
  bool IsAtEpochEnd(const Json& checkpoint) const;
  bool IsNewState(const Json& event);
  void ShowToPeople(const Json& event);

  int64_t last_sequence_ = 0;
  int64_t epoch_round_ = -1;  // the last of the epoch that was shown last
  Json held_checkpoint_;      // null: none. It waits for the epoch that it may be the end of
  Instant last_shown_;
  bool bar_drawn_ = false;
  std::set<std::string> shown_states_;
};

}  // namespace dl::cli
