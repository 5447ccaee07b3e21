// What a follower of a job sees, as pure functions of the job's events.
#pragma once

#include <climits>
#include <cstdint>
#include <optional>
#include <string>

#include "base/json_fwd.h"

namespace dl::cli {

struct JobProgress {
  std::string job, state, reason, message;
  int64_t epoch = 0, epochs = 0, round = 0, rounds = 0, examples = 0;  // 0: not known
  double examples_per_second = 0;
  std::optional<double> train_loss, train_accuracy, test_loss, test_accuracy;
  std::string watched;  // metric of early stopping other than loss and accuracy
  std::optional<double> watched_value;
  bool replayed = false;

  // Takes in one event; events of unknown types change nothing.
  void Apply(const Json& event);
  // Seconds to the end at the speed so far; nullopt when nothing can be said.
  std::optional<double> SecondsLeft() const;
};

// One line of at most `columns` characters for a terminal: a bar and the figures. In a narrow one
// what matters least is left out, whole: the speed, the round, the accuracy, …; the bar, the loss
// and the time left stay longest.
std::string RenderBar(const JobProgress& progress, int columns);
// The same figures without the bar, for logs.
std::string RenderLine(const JobProgress& progress);
// What stays on the screen when an event has passed: epochs, states, warnings, checkpoints; "" for
// rounds and results. An epoch's figures are written shorter where they do not fit into `columns`.
std::string RenderEvent(const Json& event, int columns = INT_MAX);
// A line of a job's log: the same, and a result's state and reason.
std::string RenderLogLine(const Json& event);
// What a user needs to go on behind a job's end.
struct NextSteps {
  std::string data_dir;     // where its state lies; empty: on a standing cluster
  std::string run_flags;    // " --master 'local[2]'": to compute again as here
  std::string store_flags;  // " --data-dir D": to read what is stored
};
// The end of a job for people, several lines: state, figures, and what to do next. `result` may
// have a member "best", an entry of `checkpoints` that is not the job's last.
std::string RenderResult(const Json& result, const NextSteps& next);

std::string FormatSeconds(double seconds);  // "0:07", "1:02:03"

}  // namespace dl::cli
