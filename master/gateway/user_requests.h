// Checks requests of users before the core processes them. Pure functions.
#pragma once

#include "base/status.h"
#include "master/core/master_events.h"
#include "rpc/messages.h"

namespace dl::master {

// Returns:
//   - InvalidArgument if the request id is empty.
//   - ResourceExhausted if the spec, or the spec and the manifests together, are too long.
//   - Denied if the priority is above 0 and the caller, `request.by`, is no admin.
Status CheckSubmission(const rpc::SubmitRequest& request);
// Returns the submission for the core, with the documents as they were sent. The caller sets
// Submission::definition, which it parses from them, and the other members that are left empty.
// REQUIRES: CheckSubmission() is OK.
Submission SubmissionOf(const rpc::SubmitRequest& request);

// Returns InvalidArgument if the request id is empty, or if `set_aside` is negative.
Status CheckAction(const rpc::JobActionRequest& request);

}  // namespace dl::master
