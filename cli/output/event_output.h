// Shows the events of a job as they arrive.
#pragma once

#include <functional>
#include <iosfwd>
#include <set>
#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "cli/output/progress_bar.h"
#include "cli/terminal/terminal_title.h"

namespace dl::cli {

// kJson: each event as JSON on stdout. kLog: log lines of events on stdout (RenderLogLine). The
// other styles write to stderr. kLines: lines for epochs, new states, warnings, and checkpoints
// that are not at the end of an epoch; also a line of progress at most every 30 s. kBar: the same,
// with a live bar on a terminal as progress. kQuiet: only warnings, failures, notes, and a wait of
// the job for some seconds. kNone: nothing.
enum class EventStyle { kJson, kLog, kBar, kLines, kQuiet, kNone };

// Not thread-safe.
class EventOutput {
 public:
  struct Options {
    EventStyle style = EventStyle::kLines;
    std::function<int()> columns;  // for kBar: current width of the terminal
    // Standard output and standard error. REQUIRES: not null; they outlive this object.
    std::ostream* data = nullptr;
    std::ostream* progress = nullptr;
    // For kBar: also shows the progress in the title of the terminal and on its tab.
    enum class Title { kOff, kOn };
    Title title = Title::kOff;
    const Clock* clock = &Clock::Real();
  };
  explicit EventOutput(Options options);
  ~EventOutput();

  // Sets the number of epochs of the job, which events report only at the end of an epoch.
  void SetEpochs(int64_t epochs) { progress_.epochs = epochs; }
  // Shows an event. Does not show results, because the caller knows the exit code.
  void Show(const Json& event);
  // Writes a line to `progress`, above the bar. Does nothing with kJson and kNone.
  void Note(const std::string& line);
  // kQuiet: shows the state in which the job has waited for some seconds. Call it repeatedly.
  void ShowLongWait();
  // Removes the bar from the terminal until the next event. Does nothing if no bar is drawn.
  void ClearBar();
  // Sequence number of the last event given to Show; 0: none.
  int64_t last_sequence() const { return last_sequence_; }

 private:
  const Options options_;
  JobProgress progress_;
  // Returns whether the checkpoint belongs to the end of the epoch shown last. Then it needs no
  // line of its own.
  bool IsAtEpochEnd(const Json& checkpoint) const;
  bool IsNewState(const Json& event);
  void ShowText(const Json& event);
  void ShowTrouble(const Json& event);

  int64_t last_sequence_ = 0;
  int64_t epoch_round_ = -1;  // last round of the epoch that was shown last
  Json pending_checkpoint_;   // null: none; waits for the line of the epoch to which it may belong
  Json wait_;  // kQuiet: the state in which the job waits, until it is shown; null: none
  Instant waits_since_;
  Instant last_shown_;
  bool bar_drawn_ = false;
  TerminalTitle title_;
  std::set<std::string> shown_states_;
};

}  // namespace dl::cli
