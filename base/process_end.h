// Ends the process where it cannot go on and no caller can handle the error.
#pragma once

#include "base/status.h"

namespace dl {

// Prints the error for the user and returns the exit code of the process.
using EndReporter = int (*)(const Status& status);

// Sets how EndProcess reports. Without a reporter it prints one line and the exit code is 75.
void SetEndReporter(EndReporter reporter);

// Reports the error and ends the process at once. No destructor runs: results do not depend on how
// a process ends. Thread-safe.
[[noreturn]] void EndProcess(const Status& status);

// The error that an exception of the standard library stands for: ResourceExhausted with the memory
// limit for std::bad_alloc, the system's error for std::system_error (and so std::filesystem),
// Internal for any other.
Status ErrorOfException(const std::exception& exception);

// An exception that no code catches, on any thread, ends the process through EndProcess. An error
// that is a bug of ours ends in abort() after its text, so that executor/crash_note.h notes it.
void EndProcessOnUncaughtExceptions();

}  // namespace dl
