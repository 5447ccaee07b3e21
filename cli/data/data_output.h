// Writes data of commands to standard output or to the file of -o.
#pragma once

#include <iosfwd>
#include <string>

#include "base/files.h"
#include "base/status.h"
#include "cli/command.h"

namespace dl::cli {

// Returns OK if everything written so far has arrived, else an error with exit code 74. A closed
// pipe (such as to head) is such an error, because all commands ignore SIGPIPE.
Status CheckOutput(const std::ostream& out);

// Writes to the target of -o: "-" is standard output, a link is followed, and a pipe or device is
// written but never replaced (base/files.h). Errors have exit code 74, except those of
// `content` while it writes to standard output.
Status WriteOutput(const std::string& path, ByteContent content, Context& context);

// Returns the stream for the summary of a command: standard error if the data uses standard output.
std::ostream& SummaryStream(const std::string& path, Context& context);

}  // namespace dl::cli
