#include "dataset/readers/table/odd_lines.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "base/shell_word.h"

namespace dl::dataset {
namespace {

Status BadFile(const std::string& path, std::string message, std::string remedy) {
  return InvalidArgument(
      {.message = std::move(message), .where = path, .remedy = std::move(remedy)});
}

int64_t CountOf(std::string_view part, std::string_view text) {
  int64_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

}  // namespace

Status CheckLineEnds(const FileBegin& begin, const std::string& path) {
  struct LineEnd {
    std::string_view bytes, name, sed;
  };
  constexpr LineEnd kLineEnds[] = {{"\xc2\x85", "U+0085 (next line)", "\\xc2\\x85"},
                                   {"\xe2\x80\xa8", "U+2028 (line separator)", "\\xe2\\x80\\xa8"}};
  for (const LineEnd& end : kLineEnds) {
    if (begin.lines.size() > 1 || CountOf(end.bytes, begin.text) < 2) continue;
    return BadFile(path,
                   absl::StrCat("its lines end with the character ", std::string(end.name),
                                ", which ends no row"),
                   absl::StrCat("Write line feeds: sed 's/", std::string(end.sed), "/\\n/g' ",
                                ShellWord(path), " > NEW_FILE"));
  }
  if (!begin.lines.empty() && begin.lines.back() == "\x1a") {
    return BadFile(path, "its last line is Ctrl-Z, with which DOS ends files",
                   absl::StrCat("Remove it: tr -d '\\032' < ", ShellWord(path), " > NEW_FILE"));
  }
  return absl::OkStatus();
}

Status CheckHasSeveralFields(const FileBegin& begin, const std::string& path) {
  constexpr std::string_view kSeparators = ",;\t|";
  constexpr std::string_view kUnusual = ",;\t| :^~\x01";
  const auto is_quoted = [&](std::string_view line) {
    return line.size() > 2 && line.front() == '"' && line.back() == '"' &&
           line.find_first_of(kSeparators) != std::string_view::npos;
  };
  const auto quoted = std::ranges::count_if(begin.lines, is_quoted);
  if (quoted > 0 && quoted + 1 >= std::ssize(begin.lines)) {
    return BadFile(path, "each row is one field in quotes",
                   absl::StrCat("Remove the quotes around the rows: sed -e 's/^\"//' -e "
                                "'s/\"$//' -e 's/\"\"/\"/g' ",
                                ShellWord(path), " > NEW_FILE"));
  }
  const bool are_single = std::ranges::all_of(begin.lines, [&](std::string_view line) {
    return line.find_first_of(kUnusual) == std::string_view::npos;
  });
  if (!are_single) return absl::OkStatus();
  return BadFile(
      path,
      absl::StrCat("each row has one field, the first one is \"", Excerpt(begin.lines.front(), 60),
                   "\"; a label and at least one feature are needed"),
      "Give a table with more columns; where another sign separates its fields, "
      "--separator SIGN");
}

}  // namespace dl::dataset
