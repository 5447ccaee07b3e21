// The files that a source's paths and patterns stand for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "job/sources/files.h"

namespace dl::dataset {

// In the order in which they are named. A pattern (*, ?, [...] as the shell has them, not across
// "/") stands for the files that it matches, sorted by the bytes of their paths; a name that is a
// file's is that file, whatever is in it. Paths are not looked at otherwise. Errors: a pattern that
// matches nothing, a file that is named twice, more than limits::kMaxSourceFiles, none.
StatusOr<std::vector<std::string>> SourcePaths(const job::Files& files);

// The files of what stands beside features and apart from them, `what`: "labels", "lengths". As
// many as `features` are, those at one place belong together.
StatusOr<std::vector<std::string>> PathsBeside(const std::vector<std::string>& features,
                                               const job::Files& files, std::string_view what);

}  // namespace dl::dataset
