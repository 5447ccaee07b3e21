// What an executor says of a unit's result before anybody asks for its bytes.
#pragma once

#include "base/status.h"
#include "executor/job_context.h"
#include "executor/unit_runner.h"
#include "rpc/messages_fwd.h"

namespace dl::executor {

// `not_finite` is set when a value of the state is not finite, which is an error (InvalidArgument).
// Session and lease are filled in when it is sent.
StatusOr<rpc::AnnounceRequest> AnnouncementOf(const JobContext& job, const rpc::Lease& lease,
                                              UnitResult& result, bool& not_finite);

}  // namespace dl::executor
