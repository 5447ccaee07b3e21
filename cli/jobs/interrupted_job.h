// Jobs of a data folder in which no process computes.
#pragma once

#include "base/json_fwd.h"
#include "cli/command_session.h"

namespace dl::cli {

// Changes the state of a job, in the form of QueryJob, to INTERRUPTED if the job has not ended, is
// not PAUSED, and this command opened the data folder itself: then no process computes the job. The
// message names the command that continues the job.
void MarkInterrupted(const Session& session, Json& job);

}  // namespace dl::cli
