// A file of the tree as the rules see it, and what they say about it. Rules are functions over
// text, so that their own tests plant violations without touching a disk.
#pragma once

#include <string>
#include <vector>

namespace dl::tidy {

struct SourceFile {
  std::string path;  // from the root: "master/core/core.h"
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

bool IsCode(const SourceFile& file);  // .h or .cc
// Every text file of the tree that is ours: no build outputs, no hidden folders but .ci.
SourceTree ReadTree(const std::string& root);

}  // namespace dl::tidy
