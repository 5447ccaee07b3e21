// Jobs that wait to be started (Admission), and jobs that begin after other jobs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "master/core/machine/kept_for.h"
#include "master/core/machine/machine_component.h"

namespace dl::master {

class Queue : public Component {
 public:
  using Component::Component;

  // Adds a job to the end of the queue. Sets `changed`.
  void Add(const Job& job);
  // Removes a job, if it is queued. Sets `changed`.
  void Remove(const Job& job);
  // Removes a job that starts or is REJECTED. Leaves `changed` as it is, because no other job can
  // start for this reason.
  void Take(const Job& job) { std::erase(waiting_, job.definition.id); }
  size_t size() const { return waiting_.size(); }
  // Returns the ids of the queued jobs in the order in which they may start: by priority, the
  // highest first, then the owner with the fewest running jobs, then the job that was queued first.
  // Jobs that precede in the order count as running.
  std::vector<std::string> Order() const;
  // Returns the id of a job that begins after this one and thereby protects it from deletion; empty
  // if there is none. With KeptFor::kItsOwner, only jobs of this job's owner protect it.
  std::string JobThatKeeps(const Job& job, KeptFor keeps) const;
  // Ends the wait of jobs that begin after this job. Their records are updated within the next
  // steps. If the master restarts before that, it derives this from the record of the job that
  // has SUCCEEDED. Must be called when the job has SUCCEEDED.
  void PredecessorSucceeded(const std::string& job);
  // Updates the record of one job that no longer waits for its predecessor. REQUIRES: FirstDue()
  // has passed.
  void PersistNextSuccessor();
  // Returns when PersistNextSuccessor() must be called next; Instant::Max() if no record is
  // outdated.
  Instant FirstDue() const;
  // Updates the records that still name `job` although it has SUCCEEDED. Must be called before the
  // record of `job` is deleted.
  void PersistAllAfter(const std::string& job);
  // Returns the position of the job in Order(), and the first jobs of this order that precede it,
  // at most ten; nullopt if it is not queued.
  std::optional<QueueView> ViewPlace(const Job& job) const;
  // Returns InvalidArgument if the job alone needs more than the master's memory.
  Status CheckFitsAlone(const JobDefinition& definition) const;

  // Set when jobs may start, or may have another reason for waiting.
  bool changed = false;

 private:
  std::vector<std::string> waiting_;  // by arrival
  // Jobs that no longer wait for a predecessor although their records still name it, with that
  // predecessor.
  std::map<std::string, std::string> not_persisted_;
  Instant succeeded_at_;  // when an entry of not_persisted_ was added last
};

}  // namespace dl::master
