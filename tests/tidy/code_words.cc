#include "tests/tidy/code_words.h"

#include <cctype>

namespace dl::tidy {
namespace {

bool IsWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Returns the end of the literal or comment that starts at `at`, or `at` itself if none starts
// there.
size_t EndOfLiteral(std::string_view text, size_t at) {
  const std::string_view rest = text.substr(at);
  const auto until = [&](std::string_view end, size_t from) {
    const size_t found = text.find(end, from);
    return found == std::string_view::npos ? text.size() : found + end.size();
  };
  if (rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
  if (rest.starts_with("/*")) return until("*/", at + 2);
  if (rest.starts_with("R\"") && (at == 0 || !IsWordChar(text[at - 1]))) {
    const size_t open = text.find('(', at);
    if (open == std::string_view::npos) return text.size();
    return until(")" + std::string(text.substr(at + 2, open - at - 2)) + "\"", open);
  }
  // A quote after a digit or letter separates digits: 1'000.
  const bool quote = rest[0] == '"' || (rest[0] == '\'' && (at == 0 || !IsWordChar(text[at - 1])));
  if (!quote) return at;
  size_t i = at + 1;
  while (i < text.size() && text[i] != rest[0] && text[i] != '\n') i += text[i] == '\\' ? 2 : 1;
  return std::min(i + 1, text.size());
}

}  // namespace

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<Include> IncludesOf(std::string_view text) {
  std::vector<Include> includes;
  int number = 0;
  for (std::string_view line : LinesOf(text)) {
    ++number;
    line = Trimmed(line);
    if (!line.starts_with('#')) continue;
    line = Trimmed(line.substr(1));
    if (!line.starts_with("include")) continue;
    line = Trimmed(line.substr(7));
    if (line.empty() || (line[0] != '<' && line[0] != '"')) continue;
    const bool angled = line[0] == '<';
    const size_t end = line.find(angled ? '>' : '"', 1);
    if (end != std::string_view::npos)
      includes.push_back({number, std::string(line.substr(1, end - 1)), angled});
  }
  return includes;
}

std::string BlankCommentsAndStrings(std::string_view text) {
  std::string code(text);
  for (size_t i = 0; i < text.size();) {
    const size_t end = EndOfLiteral(text, i);
    if (end == i) {
      ++i;
      continue;
    }
    for (; i < end; ++i) {
      if (code[i] != '\n') code[i] = ' ';
    }
  }
  return code;
}

std::vector<Word> WordsOf(std::string_view code) {
  std::vector<Word> words;
  int line = 1;
  // The text between the last word and this word, without spaces at its ends.
  std::string_view between;
  size_t last_end = 0;
  for (size_t i = 0; i < code.size();) {
    if (!IsWordChar(code[i])) {
      if (code[i] == '\n') ++line;
      ++i;
      continue;
    }
    const size_t start = i;
    while (i < code.size() && IsWordChar(code[i])) ++i;
    between = code.substr(last_end, start - last_end);
    const size_t first = between.find_first_not_of(" \t\n"),
                 last = between.find_last_not_of(" \t\n");
    between = first == std::string_view::npos ? "" : between.substr(first, last - first + 1);
    last_end = i;
    Word word = {.line = line, .text = std::string(code.substr(start, i - start))};
    const std::string before = words.empty() ? "" : words.back().text;
    if (between == "::") word.qualifier = before;
    word.is_member = between.ends_with('.') || between.ends_with("->");
    const bool type_mark = between.empty() || between == "*" || between == "&" || between == ">";
    word.follows_word = type_mark && !before.empty() && before != "return" && before != "else";
    const size_t next = code.find_first_not_of(" \t\n", i);
    word.is_called = next != std::string_view::npos && code[next] == '(';
    words.push_back(std::move(word));
  }
  return words;
}

}  // namespace dl::tidy
