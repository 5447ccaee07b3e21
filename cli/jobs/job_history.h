// The epochs of a job, from its events.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"

namespace dl::cli {

// The figures of an epoch by name. Test figures are empty if the epoch was not evaluated.
struct EpochFigures {
  int64_t epoch = 0;  // from 1
  int64_t round = 0;  // the last one of the epoch
  std::map<std::string, double> train, test;
};

// Collects the epochs of one job. An epoch that was computed again replaces the earlier one.
class JobHistory {
 public:
  // Adds an event of the job. Events must be added in order. Ignores all events except ends of
  // epochs and rollbacks.
  void Add(const Json& event);

  // The epochs that count, ascending.
  const std::vector<EpochFigures>& epochs() const { return epochs_; }
  // Epochs that rollbacks removed, in the order of the rollbacks.
  const std::vector<EpochFigures>& rolled_back() const { return rolled_back_; }
  // The figure of the test set that decides about early stopping (EpochEvent::watched). Empty if
  // early stopping is not enabled or judges the loss, and before an epoch was evaluated.
  const std::string& watched() const { return watched_; }
  // All names of figures in epochs(): "loss", "accuracy", then the others in alphabetical order.
  std::vector<std::string> Names() const;

 private:
  void AddEpoch(const Json& event);
  void RollBack(int64_t round);

  std::vector<EpochFigures> epochs_, rolled_back_;
  std::string watched_;
};

}  // namespace dl::cli
