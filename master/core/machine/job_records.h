// Writes the durable records of jobs: the record itself, its checkpoints, and the reports of ended
// jobs. Decides nothing.
#pragma once

#include <string>

#include "master/core/fleet/fleet.h"
#include "master/core/job/job.h"
#include "master/core/master_step.h"
#include "master/core/record_keys.h"
#include "master/core/views/job_view.h"

namespace dl::master {

class JobRecords {
 public:
  JobRecords(CurrentStep& step, const Fleet& fleet) : step_(step), fleet_(fleet) {}

  // Sets and persists the state, and reports it to subscribers.
  void SetState(Job& job, JobState state, Reason reason, std::string message,
                rpc::Remedy remedy = {});
  // Persists the job's record with the running time and the duration of units so far.
  void PersistJob(const Job& job);
  // Persists the record of a checkpoint, whether it counts or was set aside.
  void PersistCheckpoint(const Job& job, const CheckpointInfo& checkpoint);
  // Persists all reports of a job that ends. REQUIRES: the job is in a terminal state.
  void PersistReports(const Job& job);
  // Updates the stored list of checkpoints of an ended job after a change.
  void PersistCheckpointsReport(const Job& job);
  // Returns the result so far.
  ResultView ViewResult(const Job& job) const;
  // Returns the running time in seconds over all processes of the master.
  double WallSeconds(const Job& job) const;

 private:
  void PersistReport(const Job& job, ReportKind kind, const std::string& report);

  CurrentStep& step_;
  const Fleet& fleet_;
};

}  // namespace dl::master
