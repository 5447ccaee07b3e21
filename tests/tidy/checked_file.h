// A file of the tree and the violations that the rules find in it. Rules are functions over text,
// so that their tests can plant violations without writing files.
#pragma once

#include <string>
#include <vector>

namespace dl::tidy {

struct SourceFile {
  std::string path;  // relative to the root: "master/core/master_core.h"
  std::string text;
};

struct Violation {
  std::string path;
  int line = 0;         // 0: the file as a whole
  std::string message;  // what is wrong and what to use instead
};

using SourceTree = std::vector<SourceFile>;
using Violations = std::vector<Violation>;

std::string ToString(const Violation& violation);  // "path:line: message"

bool IsCode(const SourceFile& file);      // .h or .cc
bool IsDocument(const SourceFile& file);  // .md
// Returns every text file of the tree that belongs to the project. Excludes build outputs and
// hidden folders, except .ci.
SourceTree ReadTree(const std::string& root);

}  // namespace dl::tidy
