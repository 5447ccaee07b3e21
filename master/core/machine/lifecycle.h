// The course of a job from its start to its end, state by state.
#pragma once

#include <string>
#include <utility>

#include "master/core/machine/machine_component.h"

namespace dl::master {

class Lifecycle : public Component {
 public:
  using Component::Component;

  // Starts a queued job: prepares its first state, or recovers it if it has commits. FAILS the job
  // if its source was deleted.
  void StartJob(Job& job);
  // Lets the engine load or compute a state. Enters Phase::kPreparing; StatePrepared continues.
  void Prepare(Job& job, PrepareState effect);
  // Returns a new number for Preparation::number.
  uint64_t NextPreparation() { return next_preparation_++; }
  // Publishes the state and continues the job. If the state could not be prepared or has the wrong
  // names, tries the next source. Ignores answers to earlier effects.
  void On(const StatePrepared& event);
  // SIGTERM: requests last checkpoints of all live jobs.
  void On(const ShutdownRequested&);
  // Continues a job whose state of job.at exists: evaluates it, writes a checkpoint, opens the next
  // round, or finishes.
  void Advance(Job& job);
  // Writes a last checkpoint if necessary, and then ends or stops the job.
  void Finish(Job& job);
  // Ends a job that a user cancelled, or pauses it, as requested.
  void Stop(Job& job);
  // Pauses the job: only its records remain until it is resumed.
  void Rest(Job& job);
  // Moves the job to a terminal state, persists its reports, reports its result and releases its
  // memory.
  void End(Job& job, JobState state, Reason reason, Status error);
  void Fail(Job& job, Reason reason, Status error) {
    End(job, JobState::kFailed, reason, std::move(error));
  }
  // Sets and persists the state, and reports it to subscribers.
  void SetState(Job& job, JobState state, Reason reason, std::string message);
  // Persists the job's record with the running time so far.
  void PersistJob(const Job& job);
  // Updates the stored list of checkpoints of an ended job after a change.
  void PersistCheckpointsReport(const Job& job);
  // Lets executors fetch the state of job.at; releases older states when durable.
  void PublishState(const Job& job);
  // Returns the result so far.
  ResultView ViewResult(const Job& job) const;
  // Returns the running time in seconds over all processes of the master.
  double WallSeconds(const Job& job) const;

 private:
  void StopComputing(Job& job);
  void PersistReports(const Job& job);
  void PersistReport(const Job& job, const std::string& what, const std::string& report);
  void Rebind(Job& job);
  void PreparationFailed(Job& job, int64_t round, const Status& why);

  uint64_t next_preparation_ = 1;
};

}  // namespace dl::master
