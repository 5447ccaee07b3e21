// Jobs that wait to be started.
#pragma once

#include <algorithm>
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

  // Adds a job to the end of the queue.
  void Add(const Job& job);
  // Removes a job, if it is queued.
  void Remove(const Job& job);
  size_t size() const { return waiting_.size(); }
  // Starts the jobs that may start: by priority, then the owner with the fewest running jobs, then
  // the oldest job. A job that exceeds the master's memory alone is REJECTED if nothing of it was
  // computed; otherwise it waits for a master with more memory. A step does a limited part of this
  // (limits::kLongStep); FirstDue() is when it continues.
  void StartQueuedJobs();
  // Executors came, left or changed in trust, so other jobs may find a kernel contract.
  void MarkFleetChanged();
  void ProcessDueTimers();  // once per step
  // Returns when ProcessDueTimers() must be called next.
  Instant FirstDue() const { return std::min(decided_, goes_on_); }
  // Returns the id of a job that begins after this one and protects it from deletion; empty if
  // there is none.
  std::string JobThatKeeps(const Job& job, KeptFor keeps) const;
  // The job has SUCCEEDED, so jobs that begin after it no longer wait for it. Their records are
  // updated within the next steps. If the master restarts before that, it finds out from this job's
  // record.
  void PredecessorSucceeded(const std::string& job);
  // Updates the records of all jobs that begin after `job`. Must be called before its record is
  // deleted.
  void PersistAllAfter(const std::string& job);
  // Returns the position of the job; nullopt if it is not queued.
  std::optional<QueueView> ViewPlace(const Job& job) const;
  // Returns InvalidArgument if the job alone needs more than the master's memory.
  Status CheckFitsAlone(const JobDefinition& definition) const;

  // Set when jobs may start, or may have another reason for waiting.
  bool changed = false;

 private:
  // Use of the master by running jobs.
  struct Used {
    int64_t running = 0, memory = 0;
  };
  // Whether executors for a job without a kernel contract exist. Jobs with equal values share the
  // answer.
  struct Question {
    std::string isa;
    LabelSet needs;
    int64_t unit_bytes = 0;
    auto operator<=>(const Question&) const = default;
  };
  // The work that a step may still do.
  struct StepWork {
    int64_t looks = 40'000;  // sessions examined to find a contract; a microsecond for about twenty
    int64_t changes = 50;    // changes of states, each a record and an event
  };

  std::vector<std::string> Order() const;
  BlockedReason QueueBlockedReason(const Job& job) const;
  void Count(const Job& job, Used& used) const;
  // Returns why the job cannot start now; an empty reason if it can. Returns nullopt if the step
  // has no time left to find out.
  std::optional<BlockedReason> StartBlockedReason(Job& job, const Used& used, const Status& fits);
  std::optional<BlockedReason> ReasonWithoutContract(Job& job);
  // Returns false if this step may change no more states; a later step continues.
  bool MayChangeState();
  void EndRound();
  void PersistSomePredecessors();

  std::vector<std::string> waiting_;  // by arrival
  // Answers of the current pass. Each question is answered once per pass, which may take several
  // steps. Changes in between start another pass, so that every question gets its turn.
  std::map<Question, BlockedReason> unbound_;
  bool round_is_over_ = true;
  bool another_round_ = false;
  StepWork work_left_;
  // Jobs that no longer wait for a predecessor although their records still name it, with that
  // predecessor.
  std::map<std::string, std::string> not_persisted_;
  Instant decided_ = Instant::Max();  // when a contract may be decided, whatever happens
  Instant goes_on_ = Instant::Max();  // when interrupted work continues
};

}  // namespace dl::master
