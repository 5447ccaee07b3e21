#include "tests/tidy/checked_file.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/files.h"

namespace dl::tidy {
namespace fs = std::filesystem;

std::string ToString(const Violation& violation) {
  return violation.path + ":" + std::to_string(violation.line) + ": " + violation.message;
}

bool IsCode(const SourceFile& file) {
  return file.path.ends_with(".h") || file.path.ends_with(".cc");
}
bool IsDocument(const SourceFile& file) { return file.path.ends_with(".md"); }

namespace {

bool IsOurs(const fs::path& path) {
  static const std::set<std::string> kEndings = {".h",      ".cc",  ".md",   ".txt",   ".cmake",
                                                 ".thrift", ".in",  ".supp", ".py",    ".sh",
                                                 ".json",   ".svg", ".webp", ".ipynb", ""};
  return kEndings.contains(path.extension().string());
}

bool IsSkippedFolder(const std::string& name) {
  return name == "build" || name == "__pycache__" || (name.starts_with('.') && name != ".ci");
}

}  // namespace

SourceTree ReadTree(const std::string& root) {
  constexpr int64_t kLongest = 1 << 20;  // longer files are data
  SourceTree tree;
  for (auto entry = fs::recursive_directory_iterator(root);
       entry != fs::recursive_directory_iterator(); ++entry) {
    const std::string name = entry->path().filename().string();
    if (entry->is_directory()) {
      if (IsSkippedFolder(name)) entry.disable_recursion_pending();
      continue;
    }
    if (!entry->is_regular_file() || name.starts_with('.') || !IsOurs(entry->path())) continue;
    if (auto text = ReadFile(entry->path().string(), kLongest); text.ok()) {
      tree.push_back({fs::relative(entry->path(), root).generic_string(), *std::move(text)});
    }
  }
  std::ranges::sort(tree, {}, &SourceFile::path);
  return tree;
}

}  // namespace dl::tidy
