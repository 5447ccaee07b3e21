// What every benchmark's main does.
#pragma once

#include <functional>

#include "base/status.h"
#include "cli/flags.h"

namespace dl::bench {

// Parses the words and runs; the exit code: 2 for words that are not understood, 1 when `run`
// fails. The error goes to stderr.
int RunProgram(int argc, char** argv, cli::Flags& flags, const std::function<Status()>& run);

}  // namespace dl::bench
