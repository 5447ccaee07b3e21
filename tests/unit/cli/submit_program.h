// Runs dl-submit as a user does: a process with two output streams and an exit code.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/process.h"

namespace dl::cli {

// How long a test waits for a program: a limit for a broken machine, not an expectation.
inline constexpr Duration kTimeout = std::chrono::minutes(10);

struct Ended {
  int code = -1;
  std::string out, err;
  Json last;  // the last line of `out` if it is JSON
};
// Runs dl-submit until it ends. `environment` ("NAME=value") is added to the environment of this
// process.
Ended DlSubmit(std::vector<std::string> words, std::vector<std::string> environment = {});
// Runs a shell command in which "$DL" is the program. `out` contains both streams and `err` is
// empty.
Ended Shell(const std::string& line);
// Starts dl-submit with a pipe as standard output.
std::unique_ptr<ChildProcess> StartDlSubmit(std::vector<std::string> words);

// Writes a job on generated rows into `folder`. It trains in well under a second. Returns its path.
std::string WriteSmallJob(const std::string& folder);

}  // namespace dl::cli
