// All commands with their arguments, for texts that are generated: completions and manual pages.
#pragma once

#include <string>
#include <vector>

#include "cli/flags.h"

namespace dl::cli {

struct CommandEntry {
  std::string name, summary, examples;
  std::string json_lines;                  // as Command::json_lines
  std::vector<Flags::Argument> arguments;  // -h first, then in the order of their declarations
};

// Returns the commands in the order of --help, as each command declares itself.
std::vector<CommandEntry> CommandTable();

// The values that an argument accepts, for completions: its declared words, or what its metavar or
// its name stands for. kOther: unknown.
enum class ValueKind { kOther, kWords, kWordsOrFiles, kFiles, kFolders, kJobs };
ValueKind KindOfValue(const Flags::Argument& argument);

}  // namespace dl::cli
