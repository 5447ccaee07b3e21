#include "master/core/job/job_state.h"

#include <utility>

#include "base/name_table.h"

namespace dl::master {
namespace {

constexpr std::pair<JobState, std::string_view> kStates[] = {
    {JobState::kRejected, "REJECTED"},     {JobState::kQueued, "QUEUED"},
    {JobState::kStarting, "STARTING"},     {JobState::kRunning, "RUNNING"},
    {JobState::kRecovering, "RECOVERING"}, {JobState::kWaiting, "WAITING"},
    {JobState::kCancelling, "CANCELLING"}, {JobState::kCancelled, "CANCELLED"},
    {JobState::kSucceeded, "SUCCEEDED"},   {JobState::kFailed, "FAILED"},
    {JobState::kPausing, "PAUSING"},       {JobState::kPaused, "PAUSED"},
};

constexpr std::pair<Reason, std::string_view> kReasons[] = {
    {Reason::kNone, ""},
    {Reason::kWaitingForExecutors, "waiting_for_executors"},
    {Reason::kWaitingForJobs, "waiting_for_jobs"},
    {Reason::kWaitingForMemory, "waiting_for_memory"},
    {Reason::kLoadingState, "loading_state"},
    {Reason::kReplaying, "replaying"},
    {Reason::kUserRequest, "user_request"},
    {Reason::kUnitFailed, "unit_failed"},
    {Reason::kNotFinite, "not_finite"},
    {Reason::kDisagreement, "disagreement"},
    {Reason::kReplayMismatch, "replay_mismatch"},
    {Reason::kExampleSum, "example_sum"},
    {Reason::kStorage, "storage"},
    {Reason::kTooLarge, "too_large"},
    {Reason::kAllEpochsDone, "all_epochs_done"},
    {Reason::kEarlyStopping, "early_stopping"},
    {Reason::kWaitingForLargerExecutors, "waiting_for_larger_executors"},
    {Reason::kWaitingForDependency, "waiting_for_dependency"},
    {Reason::kProcessKilled, "process_killed"},
};

}  // namespace

std::string_view JobStateName(JobState state) { return NameIn(kStates, state); }
bool ParseJobState(std::string_view name, JobState& out) { return ParseIn(kStates, name, out); }
std::string_view ReasonName(Reason reason) { return NameIn(kReasons, reason); }
bool ParseReason(std::string_view name, Reason& out) { return ParseIn(kReasons, name, out); }

}  // namespace dl::master
