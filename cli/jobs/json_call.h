// Calls another dl-submit process and reads the JSON that it prints.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/process.h"
#include "base/status.h"

namespace dl::cli {

struct JsonAnswer {
  std::vector<Json> said;  // the JSON objects on its standard output, one per line
  std::string last_words;  // last line of its standard error that is not empty
  ExitStatus end;

  // Returns the error with which the process ended; OK if it succeeded. Returns Unavailable if it
  // reported no error.
  Status error() const;
};

// Runs a process with `input` on its standard input, which may contain a secret. Returns an error
// if the process does not start, and DeadlineExceeded if its output does not end within
// limits::kHostLimit, or the process within the same time after its output. Thread-safe.
StatusOr<JsonAnswer> CallForJson(const std::vector<std::string>& argv, const std::string& input);

}  // namespace dl::cli
