// The progress of a job, computed from its events by pure functions.
#pragma once

#include <climits>
#include <cstdint>
#include <optional>
#include <string>

#include "base/json_fwd.h"

namespace dl::cli {

struct JobProgress {
  std::string job, state, reason, message;
  // The current epoch and round, the numbers of both that the job has in all (`epochs`, `rounds`),
  // and the examples trained so far. 0: unknown.
  int64_t epoch = 0, epochs = 0, round = 0, rounds = 0, examples = 0;
  double examples_per_second = 0;
  // Figures of training are those of the epoch so far. Figures of the test set are those after the
  // last complete epoch, and are missing if it was not evaluated.
  std::optional<double> train_loss, train_accuracy, test_loss, test_accuracy;
  std::string watched;  // metric of early stopping, if it is not loss or accuracy
  std::optional<double> watched_value;
  bool replayed = false;

  // Returns how much of the epoch is done, 0 to 100; nullopt if the number of epochs is unknown.
  std::optional<int> EpochPercent() const;
  // Updates the progress with an event. Ignores events of unknown types.
  void Apply(const Json& event);
  // Returns the estimated seconds to the end at the current speed; nullopt if unknown.
  std::optional<double> SecondsLeft() const;
};

// Returns a line of at most `columns` characters for a terminal: a bar and figures. If the terminal
// is narrow, whole figures are left out in this order: reason of the state, speed, round, accuracy,
// share of the epoch, epoch, loss, remaining time, bar, state.
std::string RenderBar(const JobProgress& progress, int columns);
// Returns the same figures without the bar, for logs.
std::string RenderLine(const JobProgress& progress);
// Returns the line that stays on the screen for an event: epochs, states, warnings, checkpoints; ""
// for all other events. The figures of an epoch are shortened if they exceed `columns`.
std::string RenderEvent(const Json& event, int columns = INT_MAX);
// Returns a line for the log of a job: the time of the event in UTC and the line of RenderEvent. A
// state or a result has a line with the state and its message, else its reason. Returns "" for
// events without a line.
std::string RenderLogLine(const Json& event);

// Information that a user needs to continue after the end of a job.
struct NextSteps {
  std::string data_dir;     // folder of the job's state; empty: on a standing cluster
  std::string run_flags;    // flags to compute again as here: " --master 'local[2]'"
  std::string store_flags;  // flags to read what is stored: " --data-dir D"
};
// Returns several lines about the end of a job: state, figures and next steps. `result` may have a
// member "best", the entry of a checkpoint that is not the last one.
std::string RenderResult(const Json& result, const NextSteps& next);

std::string FormatSeconds(double seconds);  // "0:07", "1:02:03"

}  // namespace dl::cli
