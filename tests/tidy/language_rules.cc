#include "tests/tidy/language_rules.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "absl/strings/str_cat.h"
#include "tests/tidy/code_words.h"

namespace dl::tidy {
namespace {

constexpr int kMinWords = 4;
constexpr int kMaxWords = 32;
constexpr int kMaxColumns = 120;
constexpr int kMaxColumnsPerCell = 200;

bool HasPart(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

std::vector<std::string_view> PiecesOf(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> pieces;
  for (size_t end = text.find(separator); end != text.npos; end = text.find(separator)) {
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end + separator.size());
  }
  pieces.push_back(text);
  return pieces;
}

bool IsWordCharacter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '\''; }

std::vector<std::string_view> SentenceWords(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && IsWordCharacter(text[end])) ++end;
    if (end > i) words.push_back(text.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  return words;
}

void AddSentences(std::string_view text, std::vector<std::string>& sentences) {
  const auto add = [&](std::string_view sentence) {
    sentence = Trimmed(sentence);
    if (SentenceWords(sentence).size() >= kMinWords) sentences.emplace_back(sentence);
  };
  size_t begin = 0;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    if (std::string_view(".!?:;").find(text[i]) == std::string_view::npos || text[i + 1] != ' ')
      continue;
    add(text.substr(begin, i + 1 - begin));
    begin = i + 1;
  }
  add(text.substr(begin));
}

// Returns the text of a comment that fills the line; false if the line is no such comment.
bool IsWholeComment(std::string_view line, std::string_view& comment) {
  line = Trimmed(line);
  if (!line.starts_with("//")) return false;
  comment = Trimmed(line.substr(2));
  return !comment.empty();
}

// Returns the text of a comment after code; empty if there is none.
std::string_view TrailingComment(std::string_view line) {
  const size_t at = line.find("  // ");
  if (at == line.npos || at == 0 ||
      std::string_view(";{},)").find(line[at - 1]) == std::string_view::npos)
    return "";
  return line.substr(at + 5);
}

std::vector<std::string> SentencesOfComments(std::string_view text) {
  std::vector<std::string> sentences;
  std::string block;
  const auto end_block = [&] {
    AddSentences(block, sentences);
    block.clear();
  };
  for (const std::string_view line : LinesOf(text)) {
    std::string_view comment;
    if (IsWholeComment(line, comment)) {
      block += (block.empty() ? "" : " ") + std::string(comment);
      continue;
    }
    end_block();
    AddSentences(TrailingComment(line), sentences);
  }
  end_block();
  return sentences;
}

bool BeginsBlock(std::string_view line) {
  return line.empty() || line.starts_with("- ") || line.starts_with("#") || line.starts_with("|");
}

std::vector<std::string> SentencesOfDocument(std::string_view text) {
  std::vector<std::string> sentences;
  std::string block;
  bool code = false;
  const auto end_block = [&] {
    AddSentences(block, sentences);
    block.clear();
  };
  for (const std::string_view raw : LinesOf(text)) {
    const std::string_view line = Trimmed(raw);
    if (line.starts_with("```")) code = !code;
    if (code || line.starts_with("```")) continue;
    if (BeginsBlock(line) || raw.starts_with("    ")) end_block();
    if (line.starts_with("#")) {
      AddSentences(line, sentences);
    } else if (line.starts_with("|")) {
      for (const std::string_view cell : PiecesOf(line, "|")) AddSentences(cell, sentences);
    } else if (!raw.starts_with("    ")) {
      block += (block.empty() ? "" : " ") + std::string(line);
    }
  }
  end_block();
  return sentences;
}

std::string TopFolderOf(const std::string& path) {
  const size_t slash = path.find('/');
  return slash == path.npos ? "." : path.substr(0, slash);
}

}  // namespace

std::vector<std::string> SentencesOf(const SourceFile& file) {
  return IsDocument(file) ? SentencesOfDocument(file.text) : SentencesOfComments(file.text);
}

Signs SignsOf(std::string_view sentence) {
  static const std::set<std::string_view> kOpenings = {
      "Of",   "What",   "Whatever", "Whoever", "Who",    "Whom",  "Whose",
      "One",  "Ones",   "Those",    "That",    "Which",  "Where", "Behind",
      "Such", "Nobody", "Somebody", "Nothing", "Anybody"};
  static const std::set<std::string> kPeople = {"nobody",    "somebody", "anybody",
                                                "everybody", "whoever",  "whom"};
  const std::vector<std::string_view> words = SentenceWords(sentence);
  Signs signs;
  signs.opening = !words.empty() && kOpenings.contains(words[0]) && !sentence.ends_with('?');
  for (const std::string_view word : words) {
    std::string lower(word);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    signs.people |= kPeople.contains(lower);
    signs.behind |= lower == "behind";
  }
  signs.length = words.size() > kMaxWords;
  return signs;
}

std::map<std::string, SignCounts> CountSigns(const SourceTree& tree) {
  std::map<std::string, SignCounts> counts;
  for (const SourceFile& file : tree) {
    if (!IsCode(file) && !IsDocument(file)) continue;
    for (const std::string& sentence : SentencesOf(file)) {
      const Signs signs = SignsOf(sentence);
      if (!signs.opening && !signs.people && !signs.behind && !signs.length) continue;
      SignCounts& of = counts[TopFolderOf(file.path)];
      of.openings += signs.opening;
      of.people += signs.people;
      of.behind += signs.behind;
      of.lengths += signs.length;
    }
  }
  return counts;
}

Violations CheckSigns(const std::map<std::string, SignCounts>& counts,
                      const std::map<std::string, SignCounts>& permitted) {
  Violations found;
  std::set<std::string> folders;
  for (const auto& [folder, count] : counts) folders.insert(folder);
  for (const auto& [folder, count] : permitted) folders.insert(folder);
  const auto of = [](const std::map<std::string, SignCounts>& all, const std::string& folder) {
    const auto at = all.find(folder);
    return at == all.end() ? SignCounts{} : at->second;
  };
  for (const std::string& folder : folders) {
    const SignCounts has = of(counts, folder), may = of(permitted, folder);
    const auto compare = [&](int count, int most, std::string_view sign) {
      if (count == most) return;
      found.push_back(
          {folder, 0,
           absl::StrCat(count, " sentences ", std::string(sign), ", permitted are ", most,
                        count > most ? ". Rewrite the new ones (CONTRIBUTING.md)"
                                     : ". Lower the number in tests/tidy/tidy_test.cc")});
    };
    compare(has.openings, may.openings, "begin with a word such as Of, Who or Those");
    compare(has.people, may.people, "speak of processes as of people");
    compare(has.behind, may.behind, "say behind");
    compare(has.lengths, may.lengths, "have more than 32 words");
  }
  return found;
}

Violations CheckDocumentWidths(const SourceFile& file) {
  Violations found;
  if (!IsDocument(file)) return found;
  int number = 0;
  bool code = false;
  for (const std::string_view line : LinesOf(file.text)) {
    ++number;
    if (line.starts_with("```")) code = !code;
    if (code || line.starts_with("    ")) continue;
    // Bytes that continue a character of UTF-8 take no column.
    const auto columns = [](std::string_view text) {
      return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
    };
    if (line.starts_with("|")) {
      for (const std::string_view cell : PiecesOf(line, " | ")) {
        if (columns(cell) > kMaxColumnsPerCell)
          found.push_back({file.path, number, "the cell has more than 200 columns. Split it"});
      }
    } else if (columns(line) > kMaxColumns && HasPart(line, " ")) {
      found.push_back({file.path, number, "the line has more than 120 columns. Wrap it"});
    }
  }
  return found;
}

}  // namespace dl::tidy
