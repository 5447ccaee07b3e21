// Checkpoints of jobs from which other jobs begin.
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

  // Finds the checkpoint from which a new job begins, if it names one. Records its manifest, the
  // executors on whose unconfirmed results it rests, and its number of updates. Returns NotFound if
  // the checkpoint does not exist. Returns InvalidArgument if it does not fit, or if a job with
  // init_from also has imported initial weights.
  Status TakeSource(Job& job);
  // Returns the effect that prepares round 0: from the seed or from a checkpoint. Returns NotFound
  // if the source was deleted.
  static StatusOr<PrepareState> FirstState(const Job& job);
  // Updates whether the job's source must be kept: until the job has a checkpoint of its round 0 or
  // has SUCCEEDED. It is also kept for a job that is cancelled or fails before, because that job
  // may be resumed.
  void UpdateWantedSource(const Job& job);
  // Whether a job needs the checkpoint with this name.
  bool IsWantedElsewhere(const std::string& checkpoint) const;
  // Updates the jobs that began from a checkpoint that was renamed, and their records.
  void Rename(const std::string& from, const std::string& to);
  // Returns a checkpoint of the job and the other job that needs it and thereby protects this job
  // from deletion; null if there is none. Valid until wanted() changes.
  using Wanted = std::pair<std::string, std::string>;
  const Wanted* JobThatKeeps(const Job& job, KeptFor keeps) const;
  // Forgets which checkpoint the job needs, and which jobs need its checkpoints. Must be called
  // when the job is deleted. Jobs that wait to begin from it FAIL when they begin (FirstState).
  void Forget(const Job& job);
  // Pairs of a checkpoint's name and the id of a job that needs it.
  std::set<Wanted>& wanted() { return wanted_; }

 private:
  // Checkpoints, and the jobs that need them (UpdateWantedSource).
  std::set<Wanted> wanted_;
};

}  // namespace dl::master
