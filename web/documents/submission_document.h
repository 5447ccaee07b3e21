// A job that was submitted, as commands and REST show it.
#pragma once

#include "base/json_fwd.h"

namespace dl::rpc {
struct SubmitReply;
}

namespace dl::web {

// Returns all members of SubmitReply except `largest_unit_memory`:
//
// - "job": the id of the job, and "kernel_contract": "" if it is not decided yet.
// - "executor_count": number of registered executors that can compute the job now, and "slots": the
//   number of units that they can compute at once.
// - "excluded_count", "excluded_for_memory_count" and "excluded_for_labels_count": numbers of
//   executors that cannot compute the job, by reason.
// - "unit_memory_bytes": memory of one unit on an executor.
Json SubmissionDocument(const rpc::SubmitReply& submitted);

}  // namespace dl::web
