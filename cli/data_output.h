// Where a command's data goes: standard output, and the file of -o.
#pragma once

#include <iosfwd>
#include <string>

#include "base/files.h"
#include "base/status.h"
#include "cli/command.h"

namespace dl::cli {

// OK while all that was written so far arrived; else an error with exit code 74. A reader that left
// (a pipe to head) is one: SIGPIPE is ignored in every command.
Status CheckOutput(const std::ostream& out);

// Writes what -o names: "-" is standard output, a link is followed, a pipe or device is written
// into and never replaced (base/files.h). Errors have exit code 74.
Status WriteOutput(const std::string& path, ByteContent content, Context& context);

// Where the command then says what it did: standard error when the data took standard output.
std::ostream& SummaryStream(const std::string& path, Context& context);

}  // namespace dl::cli
