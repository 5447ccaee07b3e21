// Opens the session of a command that computes in its data folder.
#pragma once

#include "cli/command_session.h"
#include "cli/interrupts.h"

namespace dl::cli {

// Only one command computes in a data folder at a time. Waits until the folder is free, and says so
// on Context::err. Returns the errors of OpenSession, and Cancelled if an interrupt ends the wait.
StatusOr<Session> OpenToRun(const Settings& settings, const SessionOptions& options,
                            Context& context, const Interrupts& interrupts);

}  // namespace dl::cli
