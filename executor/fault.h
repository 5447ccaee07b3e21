// Whose fault an error is (rpc::Fault). It is said where the error arises, and the status carries
// it up through layers that know nothing of it: readers, caches, threads.
#pragma once

#include <utility>

#include "base/status.h"
#include "executor/core/fetched.h"
#include "rpc/messages_fwd.h"

namespace dl::executor {

// The same error with its blame. One that has been blamed stays as it is: who was nearer knew
// better. OK stays OK.
Status Blame(rpc::Fault fault, Status status);
template <typename T>
StatusOr<T> Blame(rpc::Fault fault, StatusOr<T> result) {
  if (result.ok()) return result;
  return Blame(fault, std::move(result).status());
}

// For what a call to the master returned: the network's fault when there was no connection, no
// place for one, or no answer in time; the master's when it answered with an error.
Status BlameCall(Status status);
template <typename T>
StatusOr<T> BlameCall(StatusOr<T> result) {
  if (result.ok()) return result;
  return BlameCall(std::move(result).status());
}

// For what the engine or a reader returned: where memory is short, the executor's fault; what else
// they say of a unit they say of it everywhere.
Status BlameComputation(Status status);
template <typename T>
StatusOr<T> BlameComputation(StatusOr<T> result) {
  if (result.ok()) return result;
  return BlameComputation(std::move(result).status());
}

// The same error with what was fetched when it arose; one that says that already stays as it is.
Status WhileFetching(Fetched what, Status status);
template <typename T>
StatusOr<T> WhileFetching(Fetched what, StatusOr<T> result) {
  if (result.ok()) return result;
  return WhileFetching(what, std::move(result).status());
}
// A state where nobody said anything else.
Fetched FetchedOf(const Status& status);

// The unit's where nobody said anything else.
rpc::Fault FaultOf(const Status& status);

// The master is away, or was started again: the core says so once, not each call.
inline bool IsOutage(const Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) || absl::IsAborted(status);
}

}  // namespace dl::executor
