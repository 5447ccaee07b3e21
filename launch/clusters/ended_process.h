// Explains why a process that was started here has ended.
#pragma once

#include <optional>
#include <string>

#include "base/process.h"

namespace dl::launch {

struct LoggedError {
  std::string message;
  std::string remedy;  // may be empty
};

// Returns the error at the end of a log, as the program reports it:
//   error: cannot start a thread ...
//     at: this process
//     try: Raise that limit ...
// A log that ends with other lines gives the last line as the message, even if an error is above
// it. Returns nullopt if the log is empty, longer than 1 MiB, or cannot be read.
std::optional<LoggedError> LastLoggedError(const std::string& log_path);

// Returns how the process ended, as "was killed by signal 9". For SIGKILL, the text names a memory
// limit as the probable cause, if there is one (AvailableMemory::limit): of a control group or of
// `ulimit`. The calling process's limit is used, because it also holds for the processes that it
// starts.
std::string DescribeEnd(const ExitStatus& ended);

}  // namespace dl::launch
