// Counts of repeated calls, as reported by executors.
#pragma once

#include "rpc/messages.h"

namespace dl::master {

// Raises each count to the reported one, at most rpc::Retries::kMost. Counts never decrease.
void RaiseTo(rpc::Retries& known, const rpc::Retries& said);
// Adds `more` to `sum`.
void AddTo(rpc::Retries& sum, const rpc::Retries& more);

}  // namespace dl::master
