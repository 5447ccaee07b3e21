// The jobs in memory: all jobs that have not ended, damaged jobs, and ended jobs that ended
// recently or were read from the store for a request. Jobs that were touched in a step are updated
// at its end (upkeep.h). Not thread-safe: used on the core's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "master/core/job/job.h"
#include "master/core/job/recovered_job.h"
#include "master/core/master_events.h"
#include "master/core/master_incarnation.h"

namespace dl::master {

class Jobs {
 public:
  explicit Jobs(const MasterIncarnation& incarnation) : incarnation_(incarnation) {}

  // live(): the jobs that have not ended, also queued and paused ones, by id. A job that ends stays
  // there until SetEndedApart(). Job::active() is false for queued and paused jobs. ended(): the
  // ended jobs in memory.
  std::map<std::string, Job>& live() { return live_; }
  const std::map<std::string, Job>& live() const { return live_; }
  const std::map<std::string, Job>& ended() const { return ended_; }
  std::map<std::string, Job>& ended() { return ended_; }
  // REQUIRES: the job is in live().
  Job& At(const std::string& id) { return live_.at(id); }
  const Job& At(const std::string& id) const { return live_.at(id); }
  // Returns a job of live() or ended(); null for others. The first form marks a live job as
  // touched.
  Job* Find(const std::string& id);
  const Job* Find(const std::string& id) const;
  // Adds a job and marks it as touched. REQUIRES: it has not ended, and its id is new.
  Job& Add(Job job);
  // Adds a damaged job to the ended ones, where it stays until it is deleted.
  void AddDamaged(Job job);

  // Marks a job, one of its units, or all of its units to be updated at the end of the step.
  void Touch(const Job& job) { touched_.insert(job.definition.id); }
  void TouchUnit(Job& job, int32_t unit);
  void TouchUnits(Job& job);
  bool touched() const { return !touched_.empty(); }
  // Returns the ids of the touched jobs, and unmarks them.
  std::set<std::string> TakeTouched() { return std::exchange(touched_, {}); }
  // Returns a touched job and unmarks it. REQUIRES: touched().
  Job& TakeFirstTouched();

  // ---- ends ----
  // Records that the job ended in this step. Returns the number of this end (EndRecorded).
  uint64_t RecordEnd(const Job& job);
  // Moves jobs that ended in this step from live() to ended(). Must be called at the end of a step.
  void SetEndedApart();
  // The end is durable. Drops the oldest ended jobs beyond CoreOptions::ended_kept. Ignores pauses
  // (EndRecorded::end is 0).
  void On(const EndRecorded& event);
  // Adds an ended job that was read from the store to ended(), and drops the oldest ended jobs
  // beyond CoreOptions::ended_kept. Does nothing if `ended` is null or the job is in memory.
  // REQUIRES: the caller holds the action turn, so that the job did not change after it was read.
  void RememberEnded(const std::shared_ptr<const RecoveredJob>& ended);
  void BeginAgain(const std::string& id);  // a resumed job becomes live again
  void Delete(const std::string& id);      // forgets an ended job

 private:
  // Drops the oldest ended jobs until `count` of them are left.
  void DropEndedAbove(int64_t count);

  const MasterIncarnation& incarnation_;
  std::map<std::string, Job> live_;
  // Ended jobs: those whose end is not durable yet, and the last others (ended_kept).
  std::map<std::string, Job> ended_;
  std::vector<std::string> just_ended_;                    // in this step; still in live_
  std::deque<std::pair<std::string, uint64_t>> recorded_;  // durable ends, oldest first
  uint64_t next_end_ = 1;
  std::set<std::string> touched_;
};

}  // namespace dl::master
