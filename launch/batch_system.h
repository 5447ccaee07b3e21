// A batch system that runs a command in nodes of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "launch/target.h"

namespace dl::launch {

// The resources that a command requests. An empty value, or 0, leaves the choice to the site.
struct BatchRequest {
  int32_t executors = 1;
  std::string partition, time, account;
  int64_t memory_bytes = 0;  // of each executor
  int64_t cpus = 1;          // of each executor
};

// A script that begins on the first node. `output` and `errors` are files that are appended to.
struct BatchScript {
  std::string name, script, folder, output, errors;
};

struct BatchJob {
  enum class Phase {
    kWaiting,    // for nodes
    kRunning,    // its script
    kBetween,    // begins, ends or is held; it has not given its nodes back
    kCancelled,  // this phase and all after it: ended
    kFailed,
    kEnded,
  };
  Phase phase = Phase::kWaiting;
  std::string state;      // the system's own word for it
  std::string reason;     // why it waits, or ended; "" where the system does not say it
  std::string nodes;      // "n[1-4]"; empty before it began
  int64_t restarts = 0;   // how often it was requeued
  int64_t exit_code = 0;  // of the script, after its end

  bool has_ended() const { return phase >= Phase::kCancelled; }
};

// Thread-safe. Each call waits for an answer of the system, within a bound.
class BatchSystem {
 public:
  virtual ~BatchSystem() = default;

  // Returns the name of the system.
  virtual std::string name() const = 0;
  // The id of the batch job in which this process runs; nullopt outside of one.
  virtual std::optional<std::string> OwnJob() const = 0;

  // Submits the script and returns the id of its batch job. FailedPrecondition with the system's
  // words where it refuses; NotFound where its commands are not installed; Unavailable where it
  // does not answer.
  virtual StatusOr<std::string> Submit(const BatchRequest& request,
                                       const BatchScript& script) const = 0;
  // NotFound for a job that the system does not know any more; Unavailable where it does not
  // answer.
  virtual StatusOr<BatchJob> Find(const std::string& id) const = 0;
  // Sends SIGINT to the script's process alone.
  virtual Status Interrupt(const std::string& id) const = 0;
  // Ends everything of the job, or takes it from the queue.
  virtual Status Cancel(const std::string& id) const = 0;
  // Ends the job where it runs; the system starts it again. An ended job is started again too.
  virtual Status Requeue(const std::string& id) const = 0;
  // Returns the command by which a user requeues the job.
  virtual std::string RequeueCommand(const std::string& id) const = 0;
};

// REQUIRES: a target that is_batch() or is_in_batch().
const BatchSystem& BatchSystemOf(const Target& target);

}  // namespace dl::launch
