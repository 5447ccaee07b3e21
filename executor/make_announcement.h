// Makes the announcement of a unit's result, which an executor sends before the result's bytes.
#pragma once

#include "base/status.h"
#include "executor/job_context.h"
#include "executor/unit_computer.h"
#include "rpc/messages_fwd.h"

namespace dl::executor {

// Returns the announcement of `result`, without session, lease, spec and free slots: they are set
// when it is sent. Returns InvalidArgument, and sets `not_finite`, if a value of the state is not
// finite. Changes `result` only for the fail point executor.lie.
StatusOr<rpc::AnnounceRequest> MakeAnnouncement(const JobContext& job, const rpc::Lease& lease,
                                                UnitResult& result, bool& not_finite);

}  // namespace dl::executor
