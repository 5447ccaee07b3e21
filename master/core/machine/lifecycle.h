// A job from its start to its end: how it goes on, state by state.
#pragma once

#include <string>
#include <utility>

#include "master/core/machine/machine_component.h"

namespace dl::master {

class Lifecycle : public Component {
 public:
  using Component::Component;

  void StartJob(Job& job);
  // The engine makes or loads a state.
  void Prepare(Job& job, PrepareState effect);
  uint64_t NextPreparation() { return next_preparation_++; }
  void On(const StatePrepared& event);
  void On(const ShutdownRequested&);
  // Behind a state that is there: evaluate it, keep it, train on it, or end.
  void Advance(Job& job);
  // The last thing of a run, and of a cancelled one: its state, durable.
  void Finish(Job& job);
  // Cancelled or paused, whichever was asked for.
  void Stop(Job& job);
  // Paused: it holds nothing but its records, until it is resumed.
  void Rest(Job& job);
  void End(Job& job, JobState state, Reason reason, Status error);
  void Fail(Job& job, Reason reason, Status error) {
    End(job, JobState::kFailed, reason, std::move(error));
  }
  void SetState(Job& job, JobState state, Reason reason, std::string message);
  void PersistJob(const Job& job);
  // The list of checkpoints of a job that ended, after a change to it.
  void PersistCheckpointsReport(const Job& job);
  void PublishState(const Job& job);  // of job.at
  Json ResultEvent(const Job& job) const;
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
