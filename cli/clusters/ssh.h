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
  std::string command = "ssh";        // program and flags, separated by blanks
  std::string program = "dl-submit";  // path on the other machine
};

// Runs the program on `host` with these words, and with `input`, which may contain a secret, on its
// standard input. The time limit is limits::kHostLimit. ssh runs with BatchMode=yes, so that it
// does not ask for a password. An error of the program itself is part of the answer. Returns
// Unavailable, with the message and a remedy, if ssh or the start of the program fails or takes too
// long. Returns NotFound if this machine has no ssh. Thread-safe.
StatusOr<JsonAnswer> AskOverSsh(const SshOptions& options, const std::string& host,
                                const std::vector<std::string>& words, const std::string& input);
// Calls AskOverSsh and returns the JSON objects that the program printed. If the program did not
// exit with 0, returns the error of JsonAnswer::error. Thread-safe.
StatusOr<std::vector<Json>> CallOverSsh(const SshOptions& options, const std::string& host,
                                        const std::vector<std::string>& words,
                                        const std::string& input);

// Returns a remedy for an error message of ssh.
std::string RemedyOfSsh(const std::string& message, const std::string& host);

}  // namespace dl::cli
