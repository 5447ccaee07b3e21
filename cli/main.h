// From main() to a command. `fixed_command` is what dl-master and dl-executor are names for; empty
// for dl-submit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace dl::cli {

int Main(int argc, char** argv, std::string_view fixed_command);

// The command that a line means, and the words behind it. A first word that starts with "-" or
// contains "/" or "." means submit. InvalidArgument (exit code 2) with a suggestion for a word that
// is no command. "help" stands for --help, "help run" for "run --help".
struct CommandLine {
  std::string command;
  std::vector<std::string> words;
};
StatusOr<CommandLine> SplitCommandLine(std::vector<std::string> words,
                                       const std::vector<std::string>& commands);

}  // namespace dl::cli
