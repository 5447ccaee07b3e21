// Attributes an error to its cause (rpc::Fault). The fault is set where the error arises. The
// status carries it through layers that do not know about faults: readers, caches, threads.
#pragma once

#include <utility>

#include "base/status.h"
#include "executor/core/fetch_target.h"
#include "rpc/messages_fwd.h"

namespace dl::executor {

// Returns the same error with this fault. An error that already has a fault keeps it, because the
// inner layer knew the cause better. OK stays OK.
Status WithFault(rpc::Fault fault, Status status);
template <typename T>
StatusOr<T> WithFault(rpc::Fault fault, StatusOr<T> result) {
  if (result.ok()) return result;
  return WithFault(fault, std::move(result).status());
}

// Sets the fault for the status of a call to the master. Network: Unavailable, DeadlineExceeded and
// ResourceExhausted, also in an answer of the master. Master: any other error.
Status WithCallFault(Status status);
template <typename T>
StatusOr<T> WithCallFault(StatusOr<T> result) {
  if (result.ok()) return result;
  return WithCallFault(std::move(result).status());
}

// Sets the fault for an error of the engine or a reader. Executor: memory or another resource is
// short. Unit: any other error, because it is assumed to occur on every executor.
Status WithComputationFault(Status status);
template <typename T>
StatusOr<T> WithComputationFault(StatusOr<T> result) {
  if (result.ok()) return result;
  return WithComputationFault(std::move(result).status());
}

// Returns the same error with a record of what was being fetched. An existing record is kept.
Status WithFetchTarget(FetchTarget what, Status status);
template <typename T>
StatusOr<T> WithFetchTarget(FetchTarget what, StatusOr<T> result) {
  if (result.ok()) return result;
  return WithFetchTarget(what, std::move(result).status());
}
// Returns what was being fetched when the error arose; a state if the error does not record it.
FetchTarget FetchTargetOf(const Status& status);

// Returns the fault of an error; Fault::kUnit if none is set.
rpc::Fault FaultOf(const Status& status);

// Returns whether the error may mean that the master is away or was restarted. The core reports
// this once, so calls do not log it.
inline bool IsOutage(const Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) || absl::IsAborted(status);
}

}  // namespace dl::executor
