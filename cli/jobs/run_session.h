// Opens the session of a command that computes in its data folder.
#pragma once

#include "cli/command_session.h"
#include "cli/interrupts.h"

namespace dl::cli {

// Only one process uses a data folder at a time. Waits while another command computes in the
// folder, and says so on Context::err. Returns FailedPrecondition if a master holds the folder that
// is not part of a command, because such a master stays. Also returns the other errors of
// OpenSession, and Cancelled if an interrupt ends the wait.
StatusOr<Session> OpenToRun(const Settings& settings, const SessionOptions& options,
                            Context& context, const Interrupts& interrupts);

}  // namespace dl::cli
