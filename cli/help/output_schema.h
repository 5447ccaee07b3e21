// The JSON Schema of what commands print with --json.
#pragma once

#include <vector>

#include "base/json_fwd.h"
#include "cli/help/command_table.h"

namespace dl::cli {

// Returns a schema that describes each line that the command prints on standard output with --json,
// also the line of an error. Its "$defs" has the schemas of the documents to which it refers
// (web/schemas/json_schemas.h).
// REQUIRES: the command prints JSON (CommandEntry::json_lines is not empty).
Json OutputSchema(const CommandEntry& command);

// Returns a schema that describes a line of any of these commands. Its "$defs" has the schemas of
// the commands that print JSON, by the name of the command. It also has the schemas of the
// documents to which these refer, by the name of the document.
Json OutputSchemas(const std::vector<CommandEntry>& commands);

}  // namespace dl::cli
