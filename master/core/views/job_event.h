// Events of a job, for its subscribers. They are values like views (see job_view.h).
// records/event_record.h writes the JSON. docs/operations/commands.md lists the events.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "master/core/views/job_view.h"

namespace dl::master {

struct StateEvent {
  JobState state = JobState::kQueued;
  Reason reason = Reason::kNone;
  std::string message;
  rpc::Remedy remedy = {};
};
struct WarningEvent {
  std::string message;
  rpc::Remedy remedy = {};
};
struct RoundEvent {
  // The round, and the number of rounds of the job.
  int64_t round = 0, rounds = 0;
  int64_t epoch = 0;               // from 1
  int64_t examples = 0;            // up to this round
  MetricsView train;               // of the epoch so far
  double examples_per_second = 0;  // of all committed rounds, over the job's running time
  bool replayed = false;           // the round was committed before
};
struct EpochEvent {
  int64_t epoch = 0, epochs = 0;  // the epoch, from 1, and the number of epochs of the job
  int64_t round = 0;
  MetricsView train;
  std::optional<MetricsView> test;  // if the epoch was evaluated
  // Figures of the evaluation by name, without undefined ones.
  std::map<std::string, double> figures;
  // Name in `figures` of the metric that early stopping judges. Empty: it is not enabled, or its
  // metric is not in `figures`, for example the loss.
  std::string watched;
  std::optional<int64_t> plateaus;  // number of plateaus, if the job counts them
};
struct CheckpointEvent {
  int64_t round = 0;
  std::string state_sha256;
};
struct RollbackEvent {
  int64_t round = 0;  // last round that counts
  int64_t rounds_lost = 0;
  std::vector<std::string> executors;  // whose results do not count
  std::string message;
};

// A ResultView ends an attempt. Until the next attempt, only warnings may follow it, for example
// after a quarantine.
using EventContent = std::variant<StateEvent, WarningEvent, RoundEvent, EpochEvent, CheckpointEvent,
                                  RollbackEvent, ResultView>;

struct JobEvent {
  std::string job;
  int64_t sequence = 0;  // EventSequence
  int64_t unix_ms = 0;   // wall-clock time, for people
  EventContent content;
};

}  // namespace dl::master
