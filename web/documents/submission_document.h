// A job that was submitted, as commands and REST show it.
#pragma once

#include "base/json_fwd.h"

namespace dl::rpc {
struct SubmitReply;
}

namespace dl::web {

// Returns the id of the job, its kernel contract, and how many executors may compute it.
Json SubmissionDocument(const rpc::SubmitReply& submitted);

}  // namespace dl::web
