// Checks names, lengths, include guards, to-do notes, paths of a developer's machine, links between
// documents, and source files that documents show.
#pragma once

#include <set>

#include "tests/tidy/checked_file.h"

namespace dl::tidy {

Violations CheckName(const SourceFile& file);
Violations CheckGuard(const SourceFile& file);
Violations CheckNotes(const SourceFile& file);  // to-do notes without a reason and similar notes
Violations CheckMachinePaths(const SourceFile& file);

// A file that was longer than 400 lines when the rule was introduced. The number of lines may only
// fall. The row is removed once the file has at most 400 lines.
struct LongFile {
  std::string path;
  int lines = 0;
};
Violations CheckLength(const SourceFile& file, const std::vector<LongFile>& ratchet);

// Checks that no two headers of the tree have the same file name.
Violations CheckHeaderNames(const SourceTree& tree);

// Checks that relative links of a document lead to a file of `paths` or to a folder that contains
// such a file.
Violations CheckLinks(const SourceFile& file, const std::set<std::string>& paths);

// Checks that a block of code whose fence names a file ("cpp examples/x.cc") equals that whole
// file.
Violations CheckShownFiles(const SourceFile& file, const SourceTree& tree);

}  // namespace dl::tidy
