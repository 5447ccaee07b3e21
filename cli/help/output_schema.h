// The JSON Schema of what commands print with --json.
#pragma once

#include <vector>

#include "base/json_fwd.h"
#include "cli/help/command_table.h"

namespace dl::cli {

// Returns the schema of each line that the command prints with --json, errors included.
// REQUIRES: the command prints JSON (CommandEntry::json_lines is not empty).
Json OutputSchema(const CommandEntry& command);

// Returns a schema whose "$defs" has the schema of each command that prints JSON, by the name of
// the command, and the documents to which they refer.
Json OutputSchemas(const std::vector<CommandEntry>& commands);

}  // namespace dl::cli
