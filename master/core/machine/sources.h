// Checkpoints that other jobs begin from.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "master/core/machine/kept_for.h"
#include "master/core/machine/machine_component.h"

namespace dl::master {

class Sources : public Component {
 public:
  using Component::Component;

  // What round 0 of a new job is made of: the seed, or a checkpoint of another job.
  Status TakeSource(Job& job);
  static StatusOr<PrepareState> FirstState(const Job& job);
  // The job's source has to stay until the job has a checkpoint of its round 0 or has SUCCEEDED. It
  // stays for a job that is cancelled or fails before: that job may be resumed.
  void UpdateWantedSource(const Job& job);
  bool IsWantedElsewhere(const std::string& checkpoint) const;
  // A checkpoint has another name now: jobs that began from it name that.
  void Rename(const std::string& from, const std::string& to);
  // A checkpoint of the job that another job begins from, and that other job, which keeps the job
  // from being deleted; null: none.
  using Wanted = std::pair<std::string, std::string>;
  const Wanted* JobThatKeeps(const Job& job, KeptFor keeps) const;
  // The job is deleted. Jobs that wait to begin from it FAIL when they begin (FirstState).
  void Forget(const Job& job);
  std::set<Wanted>& wanted() { return wanted_; }

 private:
  // Checkpoints, and the jobs for which they have to stay (UpdateWantedSource).
  std::set<Wanted> wanted_;
};

}  // namespace dl::master
