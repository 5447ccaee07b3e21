// Runs dl-submit on another machine with the ssh of the user. ssh handles keys, agents and
// ~/.ssh/config.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "cli/jobs/json_call.h"

namespace dl::cli {

struct SshOptions {
  std::string command = "ssh";        // program and flags, separated by spaces
  std::string program = "dl-submit";  // path on the other machine
};

// Runs the program on `host` with the arguments `words`. `input` is its standard input and may
// contain a secret. The time limit is limits::kHostCallTimeout. ssh runs with BatchMode=yes, so
// that it does not ask for a password. An error that the program reports is part of the answer.
// Returns Unavailable, with a remedy, if ssh fails, if the program cannot be started, or after the
// time limit. Returns NotFound if this machine has no ssh. Other errors are those of RunForJson.
// Thread-safe.
StatusOr<JsonProgramOutput> RunOverSsh(const SshOptions& options, const std::string& host,
                                       const std::vector<std::string>& words,
                                       const std::string& input);
// Calls RunOverSsh and returns the JSON objects that the program printed. If the program did not
// exit with 0, returns the error that JsonProgramOutput::error() returns. Thread-safe.
StatusOr<std::vector<Json>> RunOverSshForObjects(const SshOptions& options, const std::string& host,
                                                 const std::vector<std::string>& words,
                                                 const std::string& input);

// Returns the remedy for an error message of ssh. For an unknown message, it is to call ssh by
// hand. Thread-safe.
std::string SshRemedy(const std::string& message, const std::string& host);

}  // namespace dl::cli
