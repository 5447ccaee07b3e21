// dl-submit as a user has it: a process, its two streams and its exit code.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/process.h"

namespace dl::cli {

// Of a program: a bound for a broken machine, not an expectation.
inline constexpr Duration kPatience = std::chrono::minutes(10);

struct Ended {
  int code = -1;
  std::string out, err;
  Json last;  // the last line of `out`, when it is JSON
};
// Runs it to its end, with `environment` ("NAME=value") on top of this process's.
Ended DlSubmit(std::vector<std::string> words, std::vector<std::string> environment = {});
// Runs a line of the shell in which "$DL" is the program; `err` is empty, it comes in `out`.
Ended Shell(const std::string& line);
// Starts it; standard output is a pipe.
std::unique_ptr<ChildProcess> StartDlSubmit(std::vector<std::string> words);

// A job on generated rows, written into `folder`, which trains in well under a second. Its path.
std::string WriteSmallJob(const std::string& folder);

}  // namespace dl::cli
