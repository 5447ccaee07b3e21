// Names, lengths, guards, notes to ourselves, paths of somebody's machine, links between documents
// and the files that they show.
#pragma once

#include <set>

#include "tests/tidy/source_file.h"

namespace dl::tidy {

Violations CheckName(const SourceFile& file);
Violations CheckGuard(const SourceFile& file);
Violations CheckNotes(const SourceFile& file);  // to-do notes without a reason, and worse ones
Violations CheckMachinePaths(const SourceFile& file);

// Files that were longer than 400 lines when the rule came. A number may only fall, and its row
// goes when it may.
struct LongFile {
  std::string path;
  int lines = 0;
};
Violations CheckLength(const SourceFile& file, const std::vector<LongFile>& ratchet);

// Relative links of a document must lead to a file of `paths` or to a folder above one.
Violations CheckLinks(const SourceFile& file, const std::set<std::string>& paths);

// A block of code in a document whose fence names a file ("cpp examples/x.cc") is that file, whole.
Violations CheckShownFiles(const SourceFile& file, const SourceTree& tree);

}  // namespace dl::tidy
