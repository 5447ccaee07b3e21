#include "tests/tidy/document_rules.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <regex>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/tidy/code_words.h"

namespace dl::tidy {
namespace {

bool IsPartOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Calls `use` for each text in backticks outside of code blocks.
void ForEachName(const SourceFile& document,
                 const std::function<void(int line, const std::string& name)>& use) {
  int number = 0;
  bool code = false;
  for (const std::string_view line : LinesOf(document.text)) {
    ++number;
    if (line.starts_with("```")) code = !code;
    if (code || line.starts_with("    ")) continue;
    const std::vector<std::string> pieces = absl::StrSplit(std::string(line), '`');
    for (size_t i = 1; i + 1 < pieces.size(); i += 2) use(number, pieces[i]);
  }
}

// All words of the code, and for each test "Suite.Name".
std::set<std::string> NamesOfCode(const SourceTree& tree) {
  static const std::regex kTest(R"(\bTEST(_F|_P)?\(\s*(\w+),\s*(\w+)\))");
  std::set<std::string> names;
  for (const SourceFile& file : tree) {
    if (IsDocument(file)) continue;
    for (size_t i = 0; i < file.text.size();) {
      size_t end = i;
      while (end < file.text.size() && IsPartOfName(file.text[end])) ++end;
      if (end > i) names.insert(file.text.substr(i, end - i));
      i = std::max(end, i + 1);
    }
    if (!file.path.starts_with("tests/") || !IsCode(file)) continue;
    for (std::sregex_iterator test(file.text.begin(), file.text.end(), kTest), last; test != last;
         ++test)
      names.insert(absl::StrCat(test->str(2), ".", test->str(3)));
  }
  return names;
}

bool HasWord(const std::string& text, const std::string& word) {
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !IsPartOfName(text[at - 1])) &&
        (end == text.size() || !IsPartOfName(text[end])))
      return true;
  }
  return false;
}

bool AnyFileHasBoth(const SourceTree& tree, const std::string& one, const std::string& other) {
  return std::ranges::any_of(tree, [&](const SourceFile& file) {
    return !IsDocument(file) && HasWord(file.text, one) && HasWord(file.text, other);
  });
}

// Returns whether `name` matches `pattern`, in which '*' stands for any characters but '/'.
bool Matches(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty() || name.front() == '/';  // a folder of the path
  if (pattern.front() == '*') {
    for (size_t skipped = 0; skipped <= name.size(); ++skipped) {
      if (Matches(pattern.substr(1), name.substr(skipped))) return true;
      if (skipped < name.size() && name[skipped] == '/') return false;
    }
    return false;
  }
  return !name.empty() && pattern.front() == name.front() &&
         Matches(pattern.substr(1), name.substr(1));
}

// Returns whether the last part of the path matches: the file's name, or also names of folders.
bool MatchesEnd(std::string_view pattern, std::string_view path) {
  for (size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
    if (Matches(pattern, path.substr(slash + 1))) return true;
  }
  return false;
}

// Names of other programs in documents.
bool IsForeign(const std::string& name) {
  static const std::set<std::string> kForeign = {"GraceTime", "PartitionConfig"};
  return kForeign.contains(name);
}

}  // namespace

Violations CheckPathsInDocuments(const SourceTree& tree) {
  static const std::regex kPath(R"([a-z_]+/[\w./*-]*[\w/*])"), kPlaceholder(R"([A-Z]{3,})"),
      kSource(R"([\w/*]+\.(h|cc|py))");
  std::set<std::string> folders;
  for (const SourceFile& file : tree) {
    if (file.path.find('/') != file.path.npos)
      folders.insert(file.path.substr(0, file.path.find('/')));
  }
  Violations found;
  for (const SourceFile& document : tree) {
    if (!IsDocument(document)) continue;
    ForEachName(document, [&](int line, const std::string& name) {
      const bool is_whole = folders.contains(name.substr(0, name.find('/')));
      if (is_whole ? !std::regex_match(name, kPath) || name.find_first_of(".*") == name.npos
                   : !std::regex_match(name, kSource))
        return;
      const std::string pattern = std::regex_replace(name, kPlaceholder, "*");
      if (std::ranges::none_of(tree, [&](const SourceFile& file) {
            return Matches(pattern, file.path) || (!is_whole && MatchesEnd(pattern, file.path));
          }))
        found.push_back({document.path, line, absl::StrCat("no file is named ", name)});
    });
  }
  return found;
}

Violations CheckNamesInDocuments(const SourceTree& tree) {
  static const std::regex kMember(R"((?:\w+::)*([A-Z]\w*)::(\w+)(?:\(\))?)"),
      kTest(R"([A-Z]\w*[a-z]\w*\.[A-Z]\w*[a-z]\w*)"),
      kName(R"(k?[A-Z][a-z]+(?:[A-Z][a-z0-9]*)+(?:\(\))?)");
  const std::set<std::string> names = NamesOfCode(tree);
  Violations found;
  for (const SourceFile& document : tree) {
    if (!IsDocument(document) || document.path == "CHANGELOG.md") continue;
    ForEachName(document, [&](int line, const std::string& name) {
      std::smatch parts;
      bool exists = true;
      if (std::regex_match(name, parts, kMember)) {
        exists = AnyFileHasBoth(tree, parts.str(1), parts.str(2));
      } else if (std::regex_match(name, kTest)) {
        exists = names.contains(name);
      } else if (std::regex_match(name, kName) && !IsForeign(name)) {
        exists = names.contains(name.substr(0, name.find('(')));
      }
      if (!exists) found.push_back({document.path, line, absl::StrCat("no code has ", name)});
    });
  }
  return found;
}

namespace {

bool DefinesName(const std::string& text, const std::string& name) {
  return std::regex_search(
      text, std::regex(absl::StrCat(R"(\b(class|struct|enum|enum class|using)\s+)", name,
                                    R"(\b|\b)", name, R"(\()")));
}

// Returns whether code has the words of the term, as words or as part of a name ("EpochOrder").
bool CodeUses(const SourceTree& tree, const std::string& term) {
  const auto letters = [](const std::string& text) {
    std::string small;
    for (const char c : text) {
      if (std::isalnum(static_cast<unsigned char>(c))) small += absl::ascii_tolower(c);
    }
    return small;
  };
  const std::string wanted = letters(term);
  return std::ranges::any_of(tree, [&](const SourceFile& file) {
    return IsCode(file) && !file.path.starts_with("tests/") &&
           letters(file.text).find(wanted) != std::string::npos;
  });
}

}  // namespace

Violations CheckGlossary(const SourceTree& tree) {
  const auto find = [&](std::string_view path) {
    return std::ranges::find_if(tree, [&](const SourceFile& file) { return file.path == path; });
  };
  const auto glossary = find("docs/glossary.md");
  if (glossary == tree.end()) return {{"docs/glossary.md", 0, "the glossary is missing"}};
  Violations found;
  int number = 0;
  std::string last;
  for (const std::string_view line : LinesOf(glossary->text)) {
    ++number;
    if (!line.starts_with("|") || line.starts_with("|---") || line.starts_with("| Term |"))
      continue;
    const auto report = [&](std::string message) {
      found.push_back({glossary->path, number, std::move(message)});
    };
    const std::vector<std::string> cells = absl::StrSplit(std::string(line), " | ");
    if (cells.size() != 3) {
      report(absl::StrCat("the row has ", cells.size(), " cells instead of 3"));
      continue;
    }
    const std::string term =
        absl::AsciiStrToLower(cells[0].substr(std::min<size_t>(2, cells[0].size())));
    if (term <= last) report(absl::StrCat("\"", term, "\" must stand before \"", last, "\""));
    last = term;
    if (!CodeUses(tree, term)) report(absl::StrCat("no code uses the term \"", term, "\""));
    std::vector<std::string> names, paths;
    const std::vector<std::string> pieces = absl::StrSplit(cells[2], '`');
    for (size_t i = 1; i < pieces.size(); i += 2)
      (pieces[i].find('/') != std::string::npos ? paths : names).push_back(pieces[i]);
    if (names.empty() || paths.empty()) report("the row names no type and file");
    for (const std::string& path : paths) {
      const auto file = find(path);
      for (const std::string& name : names) {
        if (file == tree.end() || !DefinesName(file->text, name))
          report(absl::StrCat(path, " does not define ", name));
      }
    }
  }
  return found;
}

}  // namespace dl::tidy
