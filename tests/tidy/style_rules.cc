#include "tests/tidy/style_rules.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>

#include "tests/tidy/code_words.h"

namespace dl::tidy {
namespace {

constexpr int kMaxLines = 400;

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool IsVagueWord(const std::string& word) {
  static const std::set<std::string> kVague = {"util",     "utils",   "utility", "utilities",
                                               "helper",   "helpers", "common",  "manager",
                                               "managers", "misc"};
  return kVague.contains(Lower(word));
}

// Returns the words of "log_manager" or "LogManager".
std::vector<std::string> NameParts(const std::string& name) {
  std::vector<std::string> parts(1);
  for (size_t i = 0; i < name.size(); ++i) {
    const bool separator = !std::isalnum(static_cast<unsigned char>(name[i]));
    const bool hump = i > 0 && std::isupper(static_cast<unsigned char>(name[i])) &&
                      std::islower(static_cast<unsigned char>(name[i - 1]));
    if (separator || hump) parts.emplace_back();
    if (!separator) parts.back() += name[i];
  }
  return parts;
}

bool HasVaguePart(const std::string& name) {
  return std::ranges::any_of(NameParts(name), IsVagueWord);
}

std::vector<int> LinesWith(const SourceFile& file, const std::string& piece) {
  std::vector<int> lines;
  int number = 0;
  for (std::string_view line : LinesOf(file.text)) {
    ++number;
    if (line.find(piece) != std::string_view::npos) lines.push_back(number);
  }
  return lines;
}

bool HasWord(std::string_view line, std::string_view word) {
  const auto is_letter = [&](size_t at) {
    return at < line.size() && std::isalnum(static_cast<unsigned char>(line[at]));
  };
  for (size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    if (!(at > 0 && is_letter(at - 1)) && !is_letter(at + word.size())) return true;
  }
  return false;
}

}  // namespace

Violations CheckName(const SourceFile& file) {
  Violations found;
  if (HasVaguePart(file.path))
    found.push_back({file.path, 0, "name the concept: no utils, helpers, common, manager, misc"});
  if (!IsCode(file)) return found;
  const std::string name = std::filesystem::path(file.path).filename().string();
  if (std::ranges::any_of(name, [](unsigned char c) { return std::isupper(c) || c == '-'; })) {
    found.push_back({file.path, 0, "files are named in snake_case"});
  }
  const std::vector<Word> words = WordsOf(BlankCommentsAndStrings(file.text));
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string& before = words[i - 1].text;
    if (before != "class" && before != "struct" && before != "namespace") continue;
    if (HasVaguePart(words[i].text))
      found.push_back({file.path, words[i].line, words[i].text + ": name the concept"});
  }
  return found;
}

Violations CheckGuard(const SourceFile& file) {
  if (!file.path.ends_with(".h") || !LinesWith(file, "#pragma once").empty()) return {};
  return {{file.path, 0, "a header needs #pragma once"}};
}

Violations CheckNotes(const SourceFile& file) {
  constexpr size_t kShortestReason = 20;
  Violations found;
  const std::vector<std::string_view> lines = LinesOf(file.text);
  if (!IsCode(file)) return found;
  for (int number : LinesWith(file,
                              "TO"
                              "DO")) {
    const std::string_view line = lines[number - 1];
    const std::string_view after = line.substr(line.find("TO"
                                                         "DO") +
                                               4);
    if (!after.starts_with(": ") || after.size() < kShortestReason) {
      found.push_back({file.path, number,
                       "a to-do names what is missing and why it may be (\": \" and a sentence)"});
    }
  }
  for (const char* note : {"FIX"
                           "ME",
                           "XX"
                           "X",
                           "HA"
                           "CK"}) {
    for (int number : LinesWith(file, note)) {
      if (!HasWord(lines[number - 1], note)) continue;
      found.push_back({file.path, number, std::string(note) + ": fix it or say why not"});
    }
  }
  return found;
}

Violations CheckMachinePaths(const SourceFile& file) {
  Violations found;
  for (const char* folder : {"/ho"
                             "me/",
                             "/ro"
                             "ot/",
                             "/Us"
                             "ers/",
                             "/wo"
                             "rk/"}) {
    const std::string_view text = file.text;
    for (size_t at = text.find(folder); at != std::string_view::npos;
         at = text.find(folder, at + 1)) {
      // In the middle of a longer path, the word does not name a folder of ours.
      const char before = at == 0 ? ' ' : text[at - 1];
      if (std::isalnum(static_cast<unsigned char>(before)) ||
          std::string_view("./_-}$)~*").find(before) != std::string_view::npos)
        continue;
      const int line = 1 + static_cast<int>(std::count(text.begin(), text.begin() + at, '\n'));
      found.push_back({file.path, line, std::string(folder) + " is a path of one machine"});
    }
  }
  return found;
}

Violations CheckLength(const SourceFile& file, const std::vector<LongFile>& ratchet) {
  if (!IsCode(file)) return {};
  const int lines = static_cast<int>(LinesOf(file.text).size());
  const auto row = std::ranges::find(ratchet, file.path, &LongFile::path);
  if (row == ratchet.end()) {
    if (lines <= kMaxLines) return {};
    return {{file.path, 0,
             std::to_string(lines) + " lines, at most " + std::to_string(kMaxLines) +
                 ": split it by concept"}};
  }
  if (lines > row->lines)
    return {{file.path, 0, "grew to " + std::to_string(lines) + " lines; it was to shrink"}};
  if (lines < row->lines)
    return {
        {file.path, 0, "shrank to " + std::to_string(lines) + " lines: lower or remove its row"}};
  return {};
}

Violations CheckHeaderNames(const SourceTree& tree) {
  std::map<std::string, std::string> paths;  // by file name
  Violations found;
  for (const SourceFile& file : tree) {
    if (!file.path.ends_with(".h")) continue;
    const std::string name = file.path.substr(file.path.rfind('/') + 1);
    const auto [first, is_new] = paths.emplace(name, file.path);
    if (!is_new)
      found.push_back({file.path, 0, "has the name of " + first->second + ". Give it another one"});
  }
  return found;
}

Violations CheckLinks(const SourceFile& file, const std::set<std::string>& paths) {
  Violations found;
  if (!file.path.ends_with(".md")) return found;
  int number = 0;
  for (std::string_view line : LinesOf(file.text)) {
    ++number;
    for (size_t at = line.find("]("); at != std::string_view::npos; at = line.find("](", at + 1)) {
      std::string target(line.substr(at + 2, line.find(')', at) - at - 2));
      target = target.substr(0, target.find('#'));
      if (target.empty() || target.find("://") != std::string::npos) continue;
      std::string resolved = (std::filesystem::path(file.path).parent_path() / target)
                                 .lexically_normal()
                                 .generic_string();
      if (resolved.ends_with('/')) resolved.pop_back();
      const auto inside = paths.lower_bound(resolved + "/");
      const bool is_folder = inside != paths.end() && inside->starts_with(resolved + "/");
      if (!paths.contains(resolved) && !is_folder) {
        found.push_back({file.path, number, "the link leads nowhere: " + target});
      }
    }
  }
  return found;
}

Violations CheckShownFiles(const SourceFile& file, const SourceTree& tree) {
  Violations found;
  if (!file.path.ends_with(".md")) return found;
  constexpr std::string_view kFence = "```";
  int number = 0, fence = 0;  // line at which a block began; 0 outside of a block
  std::string shown, block;
  for (std::string_view line : LinesOf(file.text)) {
    ++number;
    if (!line.starts_with(kFence)) {
      block.append(line).append("\n");
    } else if (fence == 0) {
      fence = number;
      const size_t space = line.find(' ');
      shown = space == line.npos ? "" : line.substr(space + 1);
      block.clear();
    } else {
      const auto is_shown = [&](const SourceFile& other) { return other.path == shown; };
      const auto other = std::ranges::find_if(tree, is_shown);
      if (!shown.empty() && (other == tree.end() || other->text != block))
        found.push_back({file.path, fence, "the block is not the file " + shown});
      fence = 0;
    }
  }
  return found;
}

}  // namespace dl::tidy
