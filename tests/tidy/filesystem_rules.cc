#include "tests/tidy/filesystem_rules.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "tests/tidy/code_words.h"

namespace dl::tidy {
namespace {

// Functions and constructors of std::filesystem that throw unless they receive an error code.
const std::set<std::string>& Throwing() {
  static const std::set<std::string> kThrowing = {"absolute",
                                                  "canonical",
                                                  "copy",
                                                  "copy_file",
                                                  "copy_symlink",
                                                  "create_directories",
                                                  "create_directory",
                                                  "create_hard_link",
                                                  "create_symlink",
                                                  "current_path",
                                                  "directory_iterator",
                                                  "equivalent",
                                                  "exists",
                                                  "file_size",
                                                  "hard_link_count",
                                                  "is_directory",
                                                  "is_empty",
                                                  "is_regular_file",
                                                  "is_symlink",
                                                  "last_write_time",
                                                  "permissions",
                                                  "proximate",
                                                  "read_symlink",
                                                  "recursive_directory_iterator",
                                                  "relative",
                                                  "remove",
                                                  "remove_all",
                                                  "rename",
                                                  "resize_file",
                                                  "space",
                                                  "status",
                                                  "symlink_status",
                                                  "temp_directory_path",
                                                  "weakly_canonical"};
  return kThrowing;
}

// Names of variables that hold an error code or a file_status. Queries of a file_status do not
// throw.
const std::set<std::string>& NamesOfErrors() {
  static const std::set<std::string> kNames = {"error", "ignored", "unused",
                                               "none",  "gone",    "kind"};
  return kNames;
}

bool IsWordLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Returns the last argument of the call whose "(" is at `open`.
std::string LastArgument(std::string_view code, size_t open) {
  int depth = 0;
  std::string argument;
  for (size_t i = open; i < code.size(); ++i) {
    const char c = code[i];
    if (c == '(' || c == '{' || c == '[') ++depth;
    if (c == ')' || c == '}' || c == ']') --depth;
    if (depth == 0) break;
    if (c == ',' && depth == 1) {
      argument.clear();
    } else if (i > open && std::isspace(static_cast<unsigned char>(c)) == 0) {
      argument += c;
    }
  }
  return argument;
}

// Returns whether this is a range-based loop over an iterator. Its increment throws, whatever
// arguments its constructor had.
bool IsLoopOver(std::string_view code, size_t begin) {
  const size_t before = code.find_last_not_of(" \n", begin == 0 ? 0 : begin - 1);
  return before != std::string_view::npos && code[before] == ':' &&
         (before == 0 || code[before - 1] != ':');
}

// Checks the call whose name is at `name`, after its namespace. Returns "" if the call reports
// errors by an error code.
std::string Complaint(std::string_view code, size_t begin, size_t name) {
  size_t end = name;
  while (end < code.size() && IsWordLetter(code[end])) ++end;
  const std::string word(code.substr(name, end - name));
  if (!Throwing().contains(word)) return "";
  // The name of a variable may stand between: "directory_iterator it(folder, error)".
  size_t open = end;
  while (open < code.size() && (code[open] == ' ' || IsWordLetter(code[open]))) ++open;
  if (open >= code.size() || (code[open] != '(' && code[open] != '{')) return "";
  if (word.ends_with("iterator") && IsLoopOver(code, begin))
    return word + ": a range-based loop over it throws: use increment(error)";
  if (NamesOfErrors().contains(LastArgument(code, open))) return "";
  return word + ": it throws: pass a std::error_code named error (or ignored) as the last argument";
}

}  // namespace

Violations CheckFilesystemCalls(const SourceFile& file) {
  Violations found;
  if (!IsCode(file) || file.path.starts_with("tests/") || file.path.starts_with("bench/"))
    return found;
  const std::string code = BlankCommentsAndStrings(file.text);
  for (const std::string_view prefix : {"std::filesystem::", "fs::"}) {
    for (size_t at = code.find(prefix); at != std::string::npos; at = code.find(prefix, at + 1)) {
      if (at > 0 && (IsWordLetter(code[at - 1]) || code[at - 1] == ':')) continue;
      const std::string complaint = Complaint(code, at, at + prefix.size());
      if (complaint.empty()) continue;
      const auto line = std::count(code.begin(), code.begin() + static_cast<int64_t>(at), '\n');
      found.push_back({file.path, static_cast<int>(line) + 1, complaint});
    }
  }
  return found;
}

}  // namespace dl::tidy
