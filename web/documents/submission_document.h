// A job that was submitted, as commands and REST show it.
#pragma once

#include "base/json_fwd.h"

namespace dl::rpc {
struct SubmitReply;
}

namespace dl::web {

// Returns the members of SubmitReply except `largest_unit_memory`, under these names:
//
// - "job": the id of the job, and "kernel_contract": "" if it is not decided yet.
// - "executor_count": number of registered executors that can compute the job now, and "slots": the
//   number of units that they can compute at once, within the job's max_executors.
// - "excluded_count", "excluded_for_memory_count" and "excluded_for_labels_count": numbers of
//   executors that cannot compute the job because of the kernel contract, of their memory, or of
//   missing labels. Each executor is counted at most once.
// - "unit_memory_bytes": memory of one unit on an executor.
Json SubmissionDocument(const rpc::SubmitReply& submitted);

}  // namespace dl::web
