// Expands the paths and patterns of a source to files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "job/sources/source_files.h"

namespace dl::dataset {

// Returns the files in the order in which they are named. A pattern (*, ?, [...] as in the shell,
// not across "/") stands for the files that it matches, in the byte order of their paths. The name
// of an existing file is that file, even if it contains pattern characters. Returns NotFound
// if a pattern matches nothing. Returns InvalidArgument if `files` is empty, if a folder of a
// pattern cannot be read, if a path occurs twice, or if there are more than
// limits::kMaxSourceFiles paths. Does not open the files: a name that is not a pattern is returned
// even if no such file exists.
StatusOr<std::vector<std::string>> SourcePaths(const job::Files& files);

// Returns the files with additional arrays, such as labels or lengths (`what`). There must be as
// many as `features`, or InvalidArgument is returned; files at the same index belong together.
// Other errors are those of SourcePaths.
StatusOr<std::vector<std::string>> PathsBeside(const std::vector<std::string>& features,
                                               const job::Files& files, std::string_view what);

}  // namespace dl::dataset
