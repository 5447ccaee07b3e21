#include "cli/help/command_table.h"

#include "cli/command.h"

namespace dl::cli {

std::vector<CommandEntry> CommandTable() {
  std::vector<CommandEntry> table;
  for (const auto& command : AllCommands()) {
    Flags flags("dl-submit", "");
    command->Declare(flags);
    table.push_back({.name = std::string(command->name()),
                     .summary = std::string(command->summary()),
                     .examples = std::string(command->examples()),
                     .json_lines = std::string(command->json_lines()),
                     .arguments = flags.arguments()});
  }
  return table;
}

ValueKind KindOfValue(const Flags::Argument& argument) {
  const bool positional = argument.kind == Flags::Argument::Kind::kPositional;
  const std::string& name = positional ? argument.names.front() : argument.metavar;
  // The JOB of run is a known network or a file.
  if (!argument.words.empty()) return name == "JOB" ? ValueKind::kWordsOrFiles : ValueKind::kWords;
  if (name == "FILE" || name == "DATA" || name == "PATH" || name == "COLUMN|FILE")
    return ValueKind::kFiles;
  if (name == "DIR" || name == "FOLDER") return ValueKind::kFolders;
  if (name == "JOB" || name == "JOB@ROUND" || name == "CHECKPOINT") return ValueKind::kJobs;
  return ValueKind::kOther;
}

}  // namespace dl::cli
