// Explains the state of a job in one document, for scripts and agents.
#pragma once

#include <string>

#include "base/json_fwd.h"
#include "base/status.h"
#include "cli/command_session.h"

namespace dl::cli {

// Returns [{"text","command"}]: what a user can do next with a job in the form of QueryJob, the
// most probable step first. Each command is a whole command line. The list depends on the state of
// the job and on its checkpoints.
Json HintsFor(const Json& job, const NextSteps& next);

// Returns the document of `dl-submit explain` (docs/operations/watch.md#explain): the state of the
// job, its progress, figures, curves, findings (web/documents/diagnosis.h), notable events and
// hints. Errors are those of QueryJob and of the master.
StatusOr<Json> MakeJobExplanation(Session& session, const std::string& job);

}  // namespace dl::cli
