// Finds and runs the command of a command line, and returns the exit code of the process.
// `fixed_command` is the command of dl-master and dl-executor; empty for dl-submit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace dl::cli {

int Main(int argc, char** argv, std::string_view fixed_command);

// The command of a line and the words after it. The command is
//   - help, for no word, -h, --help and "help".
//   - version, for --version.
//   - submit, with all words, if the first word otherwise begins with "-" or contains "/" or ".".
// "help run" stands for "run --help".
struct CommandLine {
  std::string command;
  std::vector<std::string> words;
};
// Returns InvalidArgument (exit code 2) if the first word, or the word after "help", is not a
// command. The error suggests a command if one has a similar name or purpose.
StatusOr<CommandLine> SplitCommandLine(std::vector<std::string> words,
                                       const std::vector<std::string>& commands);

}  // namespace dl::cli
