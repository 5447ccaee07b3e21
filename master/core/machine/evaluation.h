// Evaluates states on the test set: creates evaluation units, adds up their results as integers,
// and decides on early stopping and plateaus. Lifecycle decides after which rounds: at the end of
// each epoch, or only at the end of the job.
#pragma once

#include "master/core/machine/checkpoints.h"
#include "master/core/machine/job_logs.h"
#include "master/core/machine/machine_component.h"
#include "master/core/machine/round_series.h"
#include "master/core/machine/timeline_recording.h"
#include "master/core/machine/trust.h"

namespace dl::master {

class Evaluation : public Component {
 public:
  struct Uses {
    Checkpoints& checkpoints;
    JobLogs& logs;
    RoundSeries& series;
    TimelineRecording& timeline;
    Trust& trust;
  };
  Evaluation(Context& context, const Uses& uses) : Component(context), uses_(uses) {}

  // Creates the evaluation units of the state at job.at, in place of the units of a round. Enters
  // Phase::kEvaluating.
  void OpenEvaluation(Job& job);
  // Writes the evaluation record: sums, best figure, plateaus and the decision to stop. Reports the
  // epoch and removes the units. Returns an error, and keeps the units, if the metrics cannot be
  // added. REQUIRES: all units are settled.
  Status CloseEvaluation(Job& job);

 private:
  const Uses uses_;
};

}  // namespace dl::master
