// Evaluation on the test set at the end of an epoch: units on executors, integer sums, one
// decision.
#pragma once

#include "master/core/machine/machine_component.h"

namespace dl::master {

class Evaluation : public Component {
 public:
  using Component::Component;

  // Creates the evaluation units of the state at job.at, in place of the units of a round. Enters
  // Phase::kEvaluating.
  void OpenEvaluation(Job& job);
  // Writes the evaluation record: sums, best figure, plateaus and the decision to stop. Reports the
  // epoch and advances the job. FAILS the job if the metrics cannot be added. REQUIRES: all units
  // are settled.
  void CloseEvaluation(Job& job);
};

}  // namespace dl::master
