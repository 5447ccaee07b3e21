// The common part of every benchmark's main function.
#pragma once

#include <functional>

#include "base/status.h"
#include "cli/flags.h"

namespace dl::bench {

// Parses the words and calls `run`. Returns the exit code: 2 if the words cannot be parsed, 1 if
// `run` fails. Prints the error on stderr.
int RunProgram(int argc, char** argv, cli::Flags& flags, const std::function<Status()>& run);

}  // namespace dl::bench
