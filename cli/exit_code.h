// Exit codes of dl-submit (docs/operations.md). 0 only for a job that SUCCEEDED, or a command that
// did what it was asked.
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

// The one place that turns an error into a code: what WithExitCode said, else what the system
// answered (base/system_error.h), else what the error's code says. A master that does not answer in
// time is one that cannot be reached; 124 is said by who waits for a job.
int ExitCodeFor(const Status& status);

// The same error; the program that ends with it exits with `code`. For errors whose place says more
// than their code: the same InvalidArgument is 2 for a flag, 65 for a dataset's file and 78 for a
// job spec. An earlier call wins.
Status WithExitCode(const Status& status, int code);

// An error of reading datasets or of comparing them with a model: what the files lack or hold is
// bad data (65), whether they are missing, malformed or fit no model. Others (a full disk, a lost
// master, a file that may not be read) stay as they are.
Status AsDataError(const Status& status);

// A wrong command line: InvalidArgument with exit code 2.
Status UsageError(ErrorText text);

}  // namespace dl::cli
