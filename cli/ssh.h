// dl-submit on another machine, by the user's own ssh: keys, agents and ~/.ssh/config are its
// affair.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "cli/json_call.h"

namespace dl::cli {

struct SshOptions {
  std::string command = "ssh";        // and flags of it, with blanks between
  std::string program = "dl-submit";  // there
};

// Runs it there with these words and `input`, which may hold a secret, on its standard input.
// limits::kHostLimit at most; asks nobody for a password. Unavailable, with what was said and what
// to try, where ssh, or the program's start, fails. Thread-safe.
StatusOr<JsonAnswer> AskOverSsh(const SshOptions& options, const std::string& host,
                                const std::vector<std::string>& words, const std::string& input);
// What it printed; the error of the program there, with its exit code, is an error here.
StatusOr<std::vector<Json>> CallOverSsh(const SshOptions& options, const std::string& host,
                                        const std::vector<std::string>& words,
                                        const std::string& input);

// What ssh's own message asks for; empty where nobody knows.
std::string RemedyOfSsh(const std::string& message, const std::string& host);

}  // namespace dl::cli
