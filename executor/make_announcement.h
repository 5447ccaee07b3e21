// Makes the announcement of a unit's result, which an executor sends before the result's bytes.
#pragma once

#include "base/clock.h"
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

// Times of a unit in its slot. The computation follows the wait for the state, and includes the
// wait for data.
struct TimesInSlot {
  Instant began;
  Duration state_wait{};
  Instant state_arrived;
  Duration data_wait{};
  Instant ended;
};
void AddTimes(const TimesInSlot& times, rpc::AnnounceRequest& announcement);

}  // namespace dl::executor
