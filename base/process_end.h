// Ends the process after an error that no caller can handle.
#pragma once

#include "base/status.h"

namespace dl {

// Prints the error for the user and returns the exit code of the process.
using EndReporter = int (*)(const Status& status);

// Sets how EndProcess reports. Without a reporter it prints DescribeError and the exit code is 75.
void SetEndReporter(EndReporter reporter);

// Reports the error and ends the process immediately. No destructor runs, because results do not
// depend on how a process ends. Thread-safe.
[[noreturn]] void EndProcess(const Status& status);

// Converts an exception of the standard library: std::bad_alloc and std::length_error to
// ResourceExhausted with the memory limit, std::system_error (and so std::filesystem) to the
// system's error, others to Internal.
Status StatusFromException(const std::exception& exception);

// Makes an exception that no code catches, on any thread, end the process. A lack of memory and an
// error of the system end it through EndProcess. Other exceptions are bugs: they end in abort()
// after their text, so that executor/crash_note.h records them.
void EndProcessOnUncaughtExceptions();

}  // namespace dl
