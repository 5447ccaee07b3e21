// The states of a job, and the reasons for them. Their names are used by the command line and JSON.
#pragma once

#include <cstdint>
#include <string_view>

namespace dl::master {

enum class JobState : uint8_t {
  kRejected = 1,    // ended before it started, because it needs more memory than the master has
  kQueued = 2,      // waits for its turn (Admission)
  kStarting = 3,    // its first state is being prepared
  kRunning = 4,     // rounds and evaluations are computed
  kRecovering = 5,  // its last state is being restored
  kWaiting = 6,     // no registered executor may compute its units
  kCancelling = 7,  // writes a last checkpoint, then is kCancelled
  kCancelled = 8,
  kSucceeded = 9,
  kFailed = 10,
  kPausing = 11,  // writes a last checkpoint, then is kPaused
  kPaused = 12,   // only its durable data exist until it is resumed
};
std::string_view JobStateName(JobState state);  // "RUNNING"
// Returns false if the name is unknown.
bool ParseJobState(std::string_view name, JobState& out);

inline bool IsTerminal(JobState state) {
  return state == JobState::kRejected || state == JobState::kCancelled ||
         state == JobState::kSucceeded || state == JobState::kFailed;
}

// Why a job is in its state. Names: "waiting_for_executors", ...
enum class Reason : uint8_t {
  kNone = 0,
  // No registered executor may compute its units, confirm them, or decide its kernel contract.
  kWaitingForExecutors = 1,
  kWaitingForJobs = 2,  // max_running_jobs others are running
  kWaitingForMemory = 3,
  kLoadingState = 4,
  kReplaying = 5,  // computing committed rounds again
  kUserRequest = 6,
  kUnitFailed = 7,       // the same error from enough executors
  kNotFinite = 8,        // NaN or infinity in two computations of a unit, or in a merged state
  kDisagreement = 9,     // two results of one unit differ, and there is no majority
  kReplayMismatch = 10,  // a round computed again gave a state other than its commit's
  kExampleSum = 11,      // an epoch did not train every example exactly once
  kStorage = 12,         // a checkpoint or state could not be written or read
  kTooLarge = 13,
  kAllEpochsDone = 14,
  kEarlyStopping = 15,
  kWaitingForLargerExecutors = 16,  // a unit exceeds the memory of every executor that may have it
  kWaitingForDependency = 17,       // the job named by `after` has not SUCCEEDED
  kProcessKilled = 18,              // the processes that computed it were killed repeatedly
};
std::string_view ReasonName(Reason reason);
// Returns false if the name is unknown.
bool ParseReason(std::string_view name, Reason& out);

}  // namespace dl::master
