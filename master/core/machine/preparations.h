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

  // Requests that the engine loads or computes a state. StatePrepared answers.
  void Prepare(Job& job, PrepareState effect);
  // Sends the effect of the last Prepare() again, with a new number.
  void PrepareAgain(Job& job) { Prepare(job, job.preparation.asked); }
  // Requests the round log from CoreOptions::commits_kept records before the commit of `round` to
  // its end. Requests the whole log if the job has no checkpoint of `round`, or the checkpoint does
  // not record the commit's index. LogSurveyed answers.
  void Survey(Job& job, int64_t round);
  // Requests the commits of the rounds that are computed again next: round job.at + 1 and later
  // ones, at most CoreOptions::commits_kept. CommitsRead answers. REQUIRES: the log was surveyed,
  // and the survey found the commit of round job.at + 1.
  void ReadAhead(Job& job);

 private:
  uint64_t next_ = 1;  // Preparation::number
};

}  // namespace dl::master
