// Jobs that wait to start.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "master/core/machine/kept_for.h"
#include "master/core/machine/room.h"

namespace dl::master {

class Queue : public Room {
 public:
  using Room::Room;

  void Add(const Job& job);
  void Remove(const Job& job);
  size_t size() const { return waiting_.size(); }
  // Those that may, in their order: by priority, within one first those of whom fewest run (an
  // owner's), then the oldest. One that the master could not hold alone never will: it is REJECTED
  // if nothing of it was computed, and waits for a master with more memory else. A step does a
  // bounded part of this (limits::kLongStep), and FirstDue() is when the next one goes on.
  void StartQueuedJobs();
  // Executors came, went, or are trusted otherwise: other jobs may find a kernel contract.
  void NoteWhoIsThere();
  void TakeWhatIsDue();  // once in each step
  Instant FirstDue() const { return std::min(decided_, goes_on_); }
  // A job that begins after this one and keeps it from being deleted; empty: none.
  std::string WhatKeeps(const Job& job, KeptFor keeps) const;
  // The job has SUCCEEDED: those that begin after it need not wait for it any more. Their records
  // say so some steps later; a start finds out by itself as long as this one's record is there.
  void PredecessorSucceeded(const std::string& job);
  // Before the record of that job goes.
  void PersistAllAfter(const std::string& job);
  // Where a queued job stands: {"position":3,"ahead":[…]}, of which at most ten are named.
  Json PlaceOf(const Job& job) const;
  // InvalidArgument when the job alone needs more than the master's memory.
  Status FitsAlone(const JobDefinition& definition) const;

  // Jobs may start, or have another reason not to.
  bool changed = false;

 private:
  // Use of the master by the jobs that run.
  struct Used {
    int64_t running = 0, memory = 0;
  };
  // Decides whether executors are there for a job without a kernel contract.
  struct Question {
    std::string isa;
    LabelSet needs;
    int64_t unit_bytes = 0;
    auto operator<=>(const Question&) const = default;
  };
  // The work that a step may still do.
  struct StepWork {
    int64_t looks = 40'000;  // at sessions, to find a contract: a microsecond for about twenty
    int64_t changes = 50;    // of states, each a record and an event
  };

  std::vector<std::string> Order() const;
  Lack WhyNotYet(const Job& job) const;
  void Count(const Job& job, Used& used) const;
  // Why the job does not start now; without a reason when it does. None: the step has no time left
  // to find out.
  std::optional<Lack> WhyNot(Job& job, const Used& used, const Status& fits);
  std::optional<Lack> WhyUnbound(Job& job);
  // False, and a later step goes on, when this one may change no more states.
  bool MayChangeState();
  void EndRound();
  void PersistSomePredecessors();

  std::vector<std::string> waiting_;  // as they came
  // Answers of the round under way: each question is asked once, in as many steps as that takes.
  // Changes meanwhile are for the next round, so that every question gets its turn.
  std::map<Question, Lack> unbound_;
  bool round_is_over_ = true;
  bool another_round_ = false;
  StepWork work_left_;
  // Jobs that need not wait for a predecessor any more, which their records do not say yet, with
  // that predecessor.
  std::map<std::string, std::string> not_persisted_;
  Instant decided_ = Instant::Max();  // a contract may be, whatever happens
  Instant goes_on_ = Instant::Max();  // with what a step left
};

}  // namespace dl::master
