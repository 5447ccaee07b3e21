// Runs clang's -Wthread-safety over the files that use base/mutex.h, as a syntax-only pass. The
// build itself does not need clang.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "tests/tidy/checked_file.h"

namespace dl::tidy {

// Returns the .cc files that include base/mutex.h, directly or through a header that they name.
// This suffices, because a file uses the guarded members of its own headers.
std::vector<std::string> FilesWithLocks(const SourceTree& tree);

// Returns the -I, -isystem and -D flags of all commands in a compile_commands.json, without
// duplicates.
StatusOr<std::vector<std::string>> IncludeFlags(const std::string& compile_commands);

bool HasClang();

// Returns clang's complaints about the locks of these files, or "" if there are none. A file that
// clang cannot read counts as a complaint, because it was not checked. Runs a few processes in
// parallel. They share `precompiled`, a header that is parsed once; "" means none.
StatusOr<std::string> LockComplaints(const std::string& root, const std::vector<std::string>& files,
                                     const std::vector<std::string>& flags,
                                     const std::string& precompiled);

}  // namespace dl::tidy
