// Manual pages, in the language of man(7).
#pragma once

#include <string>
#include <vector>

#include "cli/help/command_table.h"

namespace dl::cli {

// Returns the page dl-submit(1): all commands, exit codes, environment and files.
std::string OverviewPage(const std::vector<CommandEntry>& commands);
// Returns the page of a command: its arguments, flags and examples. `program` is how the command is
// called, such as "dl-submit run". The page has its name with dashes: dl-submit-run(1).
std::string CommandPage(const CommandEntry& command, const std::string& program);

struct ManPage {
  std::string file;  // "dl-submit-run.1"
  std::string text;
};
// Returns all pages, also those of dl-master(1) and dl-executor(1).
std::vector<ManPage> AllManPages(const std::vector<CommandEntry>& commands);

}  // namespace dl::cli
