// Runs dl-submit in another process, on this machine or through ssh, and reads the JSON that it
// prints.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/process.h"
#include "base/status.h"

namespace dl::cli {

struct JsonProgramOutput {
  // JSON objects on the standard output of the process, one per line. Other lines are skipped.
  std::vector<Json> objects;
  std::string last_error_line;  // last line of its standard error that is not empty
  ExitStatus end;               // how the process ended

  // Returns OK if the process exited with 0. Otherwise returns the error in the last JSON object
  // (ErrorResult in cli/output/error_report.h). Returns Unavailable with `last_error_line` if there
  // is no object or the last one has no error.
  Status error() const;
};

// Runs the program `argv[0]` with the arguments after it, and waits for its end. `input` is its
// standard input and may contain a secret. Returns the errors of Spawner::Start, DeadlineExceeded
// if the process does not end within limits::kHostCallTimeout, and ResourceExhausted if its output
// is larger than limits::kMaxHostOutputBytes. Thread-safe.
StatusOr<JsonProgramOutput> RunForJson(const std::vector<std::string>& argv,
                                       const std::string& input);

}  // namespace dl::cli
