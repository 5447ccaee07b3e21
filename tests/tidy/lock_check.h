// clang's -Wthread-safety over what uses base/mutex.h: a syntax-only pass, no clang is needed to
// build.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "tests/tidy/source_file.h"

namespace dl::tidy {

// The .cc files that include base/mutex.h, themselves or through a header that they name: the
// guarded members that a file touches are in its own headers.
std::vector<std::string> FilesWithLocks(const SourceTree& tree);

// -I, -isystem and -D of every command in a compile_commands.json, each once.
StatusOr<std::vector<std::string>> IncludeFlags(const std::string& compile_commands);

bool HasClang();

// What clang says about the locks of these files of a tree; "" when all is well. Files that clang
// cannot read count as complaints: a check that sees nothing is none. A few processes side by side,
// which have `precompiled`, a header, read already ("": none).
StatusOr<std::string> LockComplaints(const std::string& root, const std::vector<std::string>& files,
                                     const std::vector<std::string>& flags,
                                     const std::string& precompiled);

}  // namespace dl::tidy
