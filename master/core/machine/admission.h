// Starts queued jobs, as far as the master's limits and the executors' kernel contracts permit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "master/core/machine/contracts.h"
#include "master/core/machine/endings.h"
#include "master/core/machine/job_start.h"
#include "master/core/machine/machine_component.h"
#include "master/core/machine/queue.h"
#include "master/core/machine/waiting.h"

namespace dl::master {

class Admission : public Component {
 public:
  struct Uses {
    Contracts& contracts;
    Endings& endings;
    Queue& queue;
    JobStart& start;
    Waiting& waiting;
  };
  Admission(Context& context, const Uses& uses) : Component(context), uses_(uses) {}

  // Whether jobs may start, or may have another reason for waiting.
  bool IsDue() const { return uses_.queue.changed || fleet_changes_.recorded(); }
  // Starts the jobs that may start, in the order of Queue::Order(). A job that may not start does
  // not keep later jobs from starting. A job that alone exceeds the master's memory is REJECTED if
  // it has no committed round, not even round 0. Otherwise it waits for a master with more memory.
  // A step does a limited part of this work (limits::kLongStep). FirstDue() is when the work
  // continues.
  void StartQueuedJobs();
  // Grants the step its share of work, and updates records that are due
  // (Queue::PersistNextSuccessor). Must be called once per step, before StartQueuedJobs().
  void ProcessDueTimers();
  // Returns when ProcessDueTimers() must be called next.
  Instant FirstDue() const { return std::min({decided_, goes_on_, uses_.queue.FirstDue()}); }

 private:
  // Use of the master by running jobs.
  struct Used {
    int64_t running = 0, memory = 0;
  };
  // Whether executors for a job without a kernel contract exist. Jobs with equal values share the
  // answer.
  struct Question {
    std::string isa;
    nn::KernelSet kernels = nn::KernelSet::kNative;
    nn::Precision precision = nn::Precision::kFloat32;
    LabelSet needs;
    int64_t unit_bytes = 0;
    auto operator<=>(const Question&) const = default;
  };
  // The work that a step may still do.
  struct StepWork {
    int64_t looks = 40'000;  // sessions examined to find a contract; a microsecond for about twenty
    int64_t changes = 50;    // changes of states, each a record and an event
  };

  void AskAgain();
  BlockedReason QueueBlockedReason(const Job& job) const;
  void Count(const Job& job, Used& used) const;
  // Returns why the job cannot start now; an empty reason if it can. Returns nullopt if the step
  // has no time left to find out.
  std::optional<BlockedReason> StartBlockedReason(Job& job, const Used& used, const Status& fits);
  std::optional<BlockedReason> ReasonWithoutContract(Job& job);
  // Returns false if this step may change no more states; a later step continues.
  bool MayChangeState();
  void EndRound();

  const Uses uses_;
  // The questions of the current pass for which no contract was found, and why. The executors are
  // examined once per pass for each of them. A pass may take several steps. Changes in between
  // start another pass after it, so that every question gets its turn.
  std::map<Question, BlockedReason> unbound_;
  bool round_is_over_ = true;
  bool another_round_ = false;
  StepWork work_left_;
  Instant decided_ = Instant::Max();  // when a contract may be decided, whatever happens
  Instant goes_on_ = Instant::Max();  // when interrupted work continues
};

}  // namespace dl::master
