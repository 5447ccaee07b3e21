// Decides the exit code of dl-submit. 0 means that a job SUCCEEDED, or that a command did what it
// was asked to do.
#pragma once

#include <string_view>

#include "base/exit_status.h"
#include "base/status.h"

namespace dl::cli {

using namespace exit_status;

// Maps an error of a command to its exit code. Commands use no other mapping. The code of
// WithExitCode comes first, then the system's errno (base/system_error.h), then the status code. A
// master that does not answer in time is unreachable; 124 is set only by commands that wait for a
// job.
int ExitCodeFor(const Status& status);

// Returns the exit code for the name of the state in which a job ended: that of SUCCEEDED,
// CANCELLED or REJECTED, and 1 for all others.
int ExitCodeForState(std::string_view state);

// Returns the same error with an exit code. Needed if the source of an error matters more than its
// code: InvalidArgument is 2 for a flag, 65 for a dataset's file and 78 for a job spec. An error
// that has an exit code keeps it.
Status WithExitCode(const Status& status, int code);

// Gives NotFound, InvalidArgument and OutOfRange exit code 65, for errors of datasets: data that is
// missing, malformed, or does not fit the model. Other errors, such as a full disk or a lost
// master, and errors with an exit code stay unchanged.
Status AsDataError(const Status& status);

// Returns an InvalidArgument of the master or the engine as a mistake in the value of `flag`: with
// exit code 2 and the flag as its place. Returns other errors unchanged.
Status AsFlagError(const Status& status, std::string_view flag);

// Returns an error about the command line: InvalidArgument with exit code 2.
Status UsageError(ErrorText text);

}  // namespace dl::cli
