// Writes data of commands to standard output or to the file of -o.
#pragma once

#include <iosfwd>
#include <string>

#include "base/files.h"
#include "base/status.h"
#include "cli/command.h"

namespace dl::cli {

// Returns an error with exit code 74 if a write or a flush of the stream has failed, else OK. Bytes
// in the stream's buffer are checked only after a flush, which the caller does. A pipe whose reader
// has ended (such as head) is an error too, because all commands ignore SIGPIPE.
Status CheckOutput(const std::ostream& out);

// Writes `content` to `path`, the target of -o. "-" is standard output (Context::data), which is
// flushed. Other paths are written by WriteOutputFile (base/files.h): it replaces a regular file,
// follows links and writes into a pipe or device. Errors have exit code 74. An error of `content`
// keeps its own exit code if it has one. If the target is standard output, errors of `content` are
// returned unchanged.
Status WriteOutput(const std::string& path, ByteContent content, Context& context);

// Returns a usage error if `path`, the target of -o, is the file of the data that the command
// reads, which it would replace.
Status CheckKeepsData(const std::string& path, const std::string& data);

// Returns the stream for the summary of a command that writes its data to `path`: standard error if
// `path` is "-", else standard output.
std::ostream& SummaryStream(const std::string& path, Context& context);

}  // namespace dl::cli
