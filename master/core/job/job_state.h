// The states of a job, and the reasons for them. The command line, JSON and stored records use
// their names. All functions are thread-safe.
#pragma once

#include <cstdint>
#include <string_view>

namespace dl::master {

enum class JobState : uint8_t {
  kRejected = 1,    // ended before its first state: it needs more memory than the master may use
  kQueued = 2,      // waits for its turn (Admission)
  kStarting = 3,    // its first state is being prepared
  kRunning = 4,     // rounds and evaluations are computed
  kRecovering = 5,  // the state of its last committed round is being restored
  // No registered executor may compute its units or confirm their results, or all are held off.
  kWaiting = 6,
  kCancelling = 7,  // writes a last checkpoint, then is kCancelled
  kCancelled = 8,
  kSucceeded = 9,
  kFailed = 10,
  kPausing = 11,  // writes a last checkpoint, then is kPaused
  kPaused = 12,   // computes nothing until it is resumed; no state of it is in memory
};
// Returns the name: "RUNNING".
std::string_view JobStateName(JobState state);
// Sets `out` to the state with this name. Returns false if the name is unknown; `out` is then
// unchanged.
bool ParseJobState(std::string_view name, JobState& out);

// Returns whether the job has ended. A user may resume an ended job, unless it has SUCCEEDED or is
// damaged (Job::damage).
inline bool IsTerminal(JobState state) {
  return state == JobState::kRejected || state == JobState::kCancelled ||
         state == JobState::kSucceeded || state == JobState::kFailed;
}

// Why a job is in its state.
enum class Reason : uint8_t {
  kNone = 0,
  // No registered executor may compute its units or confirm their results, or its kernel contract
  // is not chosen yet.
  kWaitingForExecutors = 1,
  kWaitingForJobs = 2,    // as many other jobs are running as max_running_jobs allows
  kWaitingForMemory = 3,  // other jobs use the master's memory, or the master has less than before
  kLoadingState = 4,
  kReplaying = 5,    // committed rounds after the loaded state are being computed again
  kUserRequest = 6,  // a user cancelled or paused it
  // Computing a unit failed with one error on three executors, or failed or stalled on all that may
  // compute it. Also for metrics that cannot be added.
  kUnitFailed = 7,
  kNotFinite = 8,        // NaN or infinity in two computations of a unit, or in a merged state
  kDisagreement = 9,     // two results of a unit differ, and no executor has decided between them
  kReplayMismatch = 10,  // a round was computed again, and the result differs from its commit
  kExampleSum = 11,      // an epoch did not train every example exactly once, in two attempts
  kStorage = 12,         // a state, a checkpoint or records are missing, unreadable or not writable
  kTooLarge = 13,        // the reason for kRejected
  kAllEpochsDone = 14,
  kEarlyStopping = 15,
  // No registered executor may compute its units, and some could if they had more memory for units.
  kWaitingForLargerExecutors = 16,
  kWaitingForDependency = 17,  // the job named by `after` has not SUCCEEDED
  // The processes that computed it were killed repeatedly. The job waits for the end of a pause, or
  // has FAILED.
  kProcessKilled = 18,
};
// Returns the name: "waiting_for_executors". The name of kNone is "".
std::string_view ReasonName(Reason reason);
// Sets `out` to the reason with this name. Returns false if the name is unknown; `out` is then
// unchanged.
bool ParseReason(std::string_view name, Reason& out);

}  // namespace dl::master
