// Interface of batch systems, which run a command on nodes that they allocate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "launch/clusters/target.h"

namespace dl::launch {

// The resources that a command requests. An empty value, or 0, leaves the choice to the site. Texts
// are passed on as the user wrote them.
struct BatchRequest {
  int32_t executors = 1;
  std::string partition, time, account;  // queue, time limit ("H:MM:SS"), account to be charged
  int64_t memory_bytes = 0;              // of each executor
  int64_t cpus = 1;                      // of each executor
};

// A script that starts on the first node.
struct BatchScript {
  std::string name;            // of the batch job
  std::string script;          // path of the script
  std::string folder;          // working folder
  std::string output, errors;  // files to which standard output and standard error are appended
};

struct BatchJob {
  enum class Phase {
    kWaiting,    // for nodes
    kRunning,    // its script runs
    kBetween,    // starting, ending, held, suspended or requeued
    kCancelled,  // this phase and all later ones mean that the job has ended
    kFailed,     // its script ended with an error
    kEnded,      // completed, or ended for another reason, such as a time limit or a lost node
  };
  Phase phase = Phase::kWaiting;
  std::string state;      // state in the system's own words
  std::string reason;     // why it waits or ended; "" if the system does not report it
  std::string nodes;      // "n[1-4]"; empty before the start
  int64_t restarts = 0;   // number of times it was requeued
  int64_t exit_code = 0;  // of the script, after its end

  bool has_ended() const { return phase >= Phase::kCancelled; }
};

// Thread-safe. Each call that returns a status waits for the answer of the system, for a bounded
// time. It returns FailedPrecondition with the system's message if the system refuses, NotFound if
// the system's commands are not installed, and Unavailable if the system does not answer.
class BatchSystem {
 public:
  virtual ~BatchSystem() = default;

  // Returns the name of the system.
  virtual std::string name() const = 0;
  // Returns the id of the batch job in which this process runs; nullopt outside of a batch job.
  virtual std::optional<std::string> OwnJob() const = 0;

  // Submits the script and returns the id of its batch job.
  virtual StatusOr<std::string> Submit(const BatchRequest& request,
                                       const BatchScript& script) const = 0;
  // Returns the state of a job. Returns InvalidArgument for an answer that does not describe a job.
  // This call, and the others with an id, also return NotFound if the system does not know the
  // job any more.
  virtual StatusOr<BatchJob> Find(const std::string& id) const = 0;
  // Sends SIGINT only to the process of the script.
  virtual Status Interrupt(const std::string& id) const = 0;
  // Ends all processes of the job, or removes it from the queue.
  virtual Status Cancel(const std::string& id) const = 0;
  // Ends the job if it runs; the system then starts it again. Also restarts a job that has ended.
  virtual Status Requeue(const std::string& id) const = 0;
  // Sets the comment that the system shows with the job. `text` is one line.
  virtual Status SetComment(const std::string& id, const std::string& text) const = 0;
  // Returns the command by which a user requeues the job.
  virtual std::string RequeueCommand(const std::string& id) const = 0;
};

// Returns the batch system of the target. REQUIRES: target.is_batch() or target.is_in_batch().
const BatchSystem& BatchSystemOf(const Target& target);

}  // namespace dl::launch
