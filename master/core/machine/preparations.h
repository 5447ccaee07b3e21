// Requests what a job needs before it continues: a state, its round log, or commits. Each request
// enters Phase::kPreparing, and its answer carries Preparation::number. Recovery handles the
// answers.
#pragma once

#include <cstdint>

#include "master/core/machine/machine_component.h"

namespace dl::master {

class Preparations : public Component {
 public:
  using Component::Component;

  // Lets the engine load or compute a state. StatePrepared answers.
  void Prepare(Job& job, PrepareState effect);
  // Sends the effect of the last Prepare() again.
  void PrepareAgain(Job& job) { Prepare(job, job.preparation.asked); }
  // Requests the round log from the commit of `round` on if a checkpoint records its index,
  // otherwise the whole log. LogSurveyed answers.
  void Survey(Job& job, int64_t round);
  // Requests the commits of the next rounds that are computed again: at most
  // CoreOptions::commits_kept, from round job.at + 1 on. CommitsRead answers. REQUIRES: the log was
  // surveyed from job.at or earlier.
  void ReadAhead(Job& job);

 private:
  uint64_t next_ = 1;  // Preparation::number
};

}  // namespace dl::master
