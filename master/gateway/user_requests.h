// Checks requests of users before the core processes them. Pure functions.
#pragma once

#include "base/status.h"
#include "master/core/master_events.h"
#include "rpc/messages.h"

namespace dl::master {

// Checks the request id, the size of the documents and the right to the priority. Returns
// InvalidArgument, ResourceExhausted or Denied.
Status CheckSubmission(const rpc::SubmitRequest& request);
// Returns the submission for the core, without its definition. REQUIRES: CheckSubmission() is OK.
Submission SubmissionOf(const rpc::SubmitRequest& request);

// Returns InvalidArgument if the request has no id, or if `set_aside` is negative.
Status CheckAction(const rpc::JobActionRequest& request);

}  // namespace dl::master
