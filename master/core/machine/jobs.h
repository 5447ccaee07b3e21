// The jobs in memory: those that have not ended, and of those that have the ones that somebody may
// still ask for. What was touched in a step is brought up to date at its end (upkeep.h).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "master/core/events.h"
#include "master/core/job/job.h"
#include "master/core/job/recovered_job.h"
#include "master/core/life.h"

namespace dl::master {

class Jobs {
 public:
  explicit Jobs(const Life& life) : life_(life) {}

  std::map<std::string, Job>& live() { return live_; }
  const std::map<std::string, Job>& live() const { return live_; }
  const std::map<std::string, Job>& ended() const { return ended_; }
  std::map<std::string, Job>& ended() { return ended_; }
  Job& At(const std::string& id) { return live_.at(id); }
  const Job& At(const std::string& id) const { return live_.at(id); }
  // One of either; null for others. Who asks for it may change it.
  Job* Find(const std::string& id);
  const Job* Find(const std::string& id) const;
  Job& Add(Job job);         // that has not ended
  void AddDamaged(Job job);  // it stays among those that ended: the store tells something else

  // What of a job is to be brought up to date.
  void Touch(const Job& job) { touched_.insert(job.definition.id); }
  void TouchUnit(Job& job, int32_t unit);
  void TouchUnits(Job& job);
  bool touched() const { return !touched_.empty(); }
  std::set<std::string> TakeTouched() { return std::exchange(touched_, {}); }
  Job& TakeFirstTouched();

  // ---- ends ----
  // The job ended in this step; the end's number.
  uint64_t NoteEnd(const Job& job);
  void SetEndedApart();  // at the end of the step
  void On(const EndRecorded& event);
  // Of a job that is not in memory any more; whoever read it let nobody change it meanwhile.
  void RememberEnded(const std::shared_ptr<const RecoveredJob>& ended);
  void BeginAgain(const std::string& id);  // one that ended is resumed
  void Delete(const std::string& id);      // one that ended

 private:
  const Life& life_;
  std::map<std::string, Job> live_;
  // That ended: those that the store does not tell of yet, and the last others (ended_kept).
  std::map<std::string, Job> ended_;
  std::vector<std::string> just_ended_;                    // in this step: still among live_
  std::deque<std::pair<std::string, uint64_t>> recorded_;  // ends that the store tells of
  uint64_t next_end_ = 1;
  std::set<std::string> touched_;
};

}  // namespace dl::master
