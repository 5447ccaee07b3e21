// Completions of command lines for shells, as scripts.
#pragma once

#include <string>
#include <vector>

#include "cli/help/command_table.h"

namespace dl::cli {

// Each function returns a script that completes dl-submit, dl-master and dl-executor: commands,
// flags, and values that are words, files, folders or jobs. For jobs, the script runs
// `dl-submit list -q`.
std::string BashCompletion(const std::vector<CommandEntry>& commands);
std::string ZshCompletion(const std::vector<CommandEntry>& commands);
std::string FishCompletion(const std::vector<CommandEntry>& commands);

}  // namespace dl::cli
