// Names in documents that must exist: files, types, functions, tests, and terms of the glossary.
// Only names in backticks count. Code blocks are not checked.
#pragma once

#include "tests/tidy/checked_file.h"

namespace dl::tidy {

// Checks that each path in a document matches a file or folder of the tree. A path begins with a
// top-level folder and has a dot or a wildcard. A source file may be named without its folder. `*`
// matches any characters within a name, and so does a word in capital letters
// ("nn/conf/layers/NAME.h").
Violations CheckPathsInDocuments(const SourceTree& tree);

// Checks that code has each "Class::Member", each "Suite.Test" and each name of several capitalized
// words ("PrefetchingReader") in a document. CHANGELOG.md may name what no longer exists.
Violations CheckNamesInDocuments(const SourceTree& tree);

// Checks docs/glossary.md. Each row must have a term, a meaning, and types or functions with the
// files that define them. Terms must be in order, and code must use their words.
Violations CheckGlossary(const SourceTree& tree);

}  // namespace dl::tidy
