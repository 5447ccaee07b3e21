// States of a job and why it is in one (DESIGN section 5). The names are what the command line and
// JSON say.
#pragma once

#include <cstdint>
#include <string_view>

namespace dl::master {

enum class JobState : uint8_t {
  kRejected = 1,
  kQueued = 2,
  kStarting = 3,
  kRunning = 4,
  kRecovering = 5,
  kWaiting = 6,
  kCancelling = 7,
  kCancelled = 8,
  kSucceeded = 9,
  kFailed = 10,
  kPausing = 11,
  kPaused = 12,  // it holds nothing but its records, until it is resumed
};
std::string_view JobStateName(JobState state);  // "RUNNING"
bool ParseJobState(std::string_view name, JobState& out);

inline bool IsTerminal(JobState state) {
  return state == JobState::kRejected || state == JobState::kCancelled ||
         state == JobState::kSucceeded || state == JobState::kFailed;
}

// Why a job is not simply RUNNING. Names: "waiting_for_executors", ...
enum class Reason : uint8_t {
  kNone = 0,
  kWaitingForExecutors = 1,  // nobody offers slots under the job's kernel contract
  kWaitingForJobs = 2,       // max_running_jobs others run
  kWaitingForMemory = 3,
  kLoadingState = 4,
  kReplaying = 5,  // recomputing committed rounds after a restart
  kUserRequest = 6,
  kUnitFailed = 7,       // the same error from enough executors
  kNotFinite = 8,        // NaN or Inf, confirmed by a second run
  kDisagreement = 9,     // two results of one unit, no majority
  kReplayMismatch = 10,  // a recomputed round gave another state than its commit record
  kExampleSum = 11,      // an epoch did not train every example exactly once
  kStorage = 12,         // a checkpoint or state could not be written or read
  kTooLarge = 13,
  kAllEpochsDone = 14,
  kEarlyStopping = 15,
  kWaitingForLargerExecutors = 16,  // no unit fits the memory of any executor that it might have
  kWaitingForDependency = 17,       // the job that it begins after has not SUCCEEDED
  kProcessKilled = 18,              // the processes that computed it were killed (local[N])
};
std::string_view ReasonName(Reason reason);
bool ParseReason(std::string_view name, Reason& out);

}  // namespace dl::master
