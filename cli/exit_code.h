// Exit codes of dl-submit (docs/operations/commands.md). 0 means that a job SUCCEEDED, or that a
// command did what it was asked to do.
#pragma once

#include <string_view>

#include "base/status.h"

namespace dl::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;
inline constexpr int kCancelled = 3;
inline constexpr int kNotFound = 4;
inline constexpr int kBadData = 65;
inline constexpr int kUnreachable = 69;
inline constexpr int kOurBug = 70;
inline constexpr int kInputOutput = 74;
inline constexpr int kTryAgain = 75;
inline constexpr int kVersionMismatch = 76;
inline constexpr int kAuthentication = 77;
inline constexpr int kInvalidConfig = 78;
inline constexpr int kTimeout = 124;
inline constexpr int kInterrupted = 130;  // SIGINT
inline constexpr int kTerminated = 143;   // SIGTERM

// Maps an error to its exit code. This is the only function that does so. The code of WithExitCode
// comes first, then the system's errno (base/system_error.h), then the status code. A master that
// does not answer in time is unreachable; 124 is set only by commands that wait for a job.
int ExitCodeFor(const Status& status);

// Returns the same error with an exit code. Needed if the source of an error matters more than its
// code: InvalidArgument is 2 for a flag, 65 for a dataset's file and 78 for a job spec. The first
// call wins.
Status WithExitCode(const Status& status, int code);

// Gives errors of datasets exit code 65: data that is missing, malformed, or does not fit the
// model. Other errors stay unchanged (a full disk, a lost master, a file without read permission).
Status AsDataError(const Status& status);

// Returns an error about the command line: InvalidArgument with exit code 2.
Status UsageError(ErrorText text);

}  // namespace dl::cli
