// Attributes an error to its cause (rpc::Fault). The fault is set where the error arises. The
// status carries it through layers that do not know about faults: readers, caches, threads.
#pragma once

#include <utility>

#include "base/status.h"
#include "executor/core/fetched.h"
#include "rpc/messages_fwd.h"

namespace dl::executor {

// Returns the same error with this fault. An error that already has a fault keeps it, because the
// inner layer knew the cause better. OK stays OK.
Status Blame(rpc::Fault fault, Status status);
template <typename T>
StatusOr<T> Blame(rpc::Fault fault, StatusOr<T> result) {
  if (result.ok()) return result;
  return Blame(fault, std::move(result).status());
}

// Sets the fault for the status of a call to the master. Network: Unavailable, DeadlineExceeded and
// ResourceExhausted, also in an answer of the master. Master: any other error.
Status BlameCall(Status status);
template <typename T>
StatusOr<T> BlameCall(StatusOr<T> result) {
  if (result.ok()) return result;
  return BlameCall(std::move(result).status());
}

// Sets the fault for an error of the engine or a reader. Executor: memory or another resource is
// short. Unit: any other error, because it is assumed to occur on every executor.
Status BlameComputation(Status status);
template <typename T>
StatusOr<T> BlameComputation(StatusOr<T> result) {
  if (result.ok()) return result;
  return BlameComputation(std::move(result).status());
}

// Returns the same error with a record of what was being fetched. An existing record is kept.
Status WhileFetching(Fetched what, Status status);
template <typename T>
StatusOr<T> WhileFetching(Fetched what, StatusOr<T> result) {
  if (result.ok()) return result;
  return WhileFetching(what, std::move(result).status());
}
// Returns what was being fetched when the error arose; a state if the error does not record it.
Fetched FetchedOf(const Status& status);

// Returns the fault of an error; Fault::kUnit if none is set.
rpc::Fault FaultOf(const Status& status);

// Returns whether the error may mean that the master is away or was restarted. The core reports
// this once, so calls do not log it.
inline bool IsOutage(const Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) || absl::IsAborted(status);
}

}  // namespace dl::executor
