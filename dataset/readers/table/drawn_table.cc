#include "dataset/readers/table/drawn_table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/shell_word.h"

namespace dl::dataset {
namespace {

constexpr size_t kLookedAtLines = 5;
constexpr size_t kShortestRule = 3;  // length of a run of dashes

// Returns whether the line consists of dashes with corners and columns: "---+---", "|---:|:--|",
// "===  ===". Runs of dashes may be short in Markdown, where this is the second line.
bool IsRule(std::string_view line, bool is_second) {
  if (line.find_first_not_of("-=+|: \t") != std::string_view::npos) return false;
  size_t run = 0, longest = 0;
  for (const char sign : line) {
    run = sign == '-' || sign == '=' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const bool is_markdown = is_second && line.find('|') != std::string_view::npos && longest > 0;
  return longest >= kShortestRule || is_markdown;
}

}  // namespace

std::optional<OtherFormat> RecognizeDrawnTable(const std::vector<std::string_view>& lines,
                                               const std::string& path) {
  const size_t looked = std::min(lines.size(), kLookedAtLines);
  for (size_t i = 0; i < looked; ++i) {
    if (lines[i].find("\\begin{") != std::string_view::npos) {
      return OtherFormat{.what = "a table of LaTeX",
                         .remedy = "Write its rows as CSV, with a header and without commands"};
    }
    if (!IsRule(lines[i], i == 1)) continue;
    const bool has_bars = lines[i].find('|') != std::string_view::npos;
    if (has_bars && lines[i].find('+') == std::string_view::npos) {
      return OtherFormat{
          .what = absl::StrCat("a table of Markdown, with a line of dashes: line ", i + 1),
          .remedy = absl::StrCat("Remove that line, and the bars at both ends of each line: sed ",
                                 "-e '/^[-| :]*$/d' -e 's/^ *|//' -e 's/| *$//' ", ShellWord(path),
                                 " > NEW_FILE")};
    }
    return OtherFormat{
        .what = absl::StrCat("a table that is drawn with lines: line ", i + 1, " is one of them"),
        .remedy = "Export the table as CSV (psql --csv, mysql --batch), or remove such lines"};
  }
  return std::nullopt;
}

std::optional<OtherFormat> RecognizeFixedWidth(const std::vector<std::string_view>& lines) {
  constexpr size_t kFewLines = 3;
  if (lines.size() < kFewLines) return std::nullopt;
  size_t longest = 0, shortest = lines[0].size();
  for (const std::string_view line : lines) {
    longest = std::max(longest, line.size());
    shortest = std::min(shortest, line.size());
    if (line.find('\t') != std::string_view::npos) return std::nullopt;
  }
  // Positions that are blank in all lines, or after their end.
  std::vector<bool> is_blank(longest, true);
  for (const std::string_view line : lines) {
    for (size_t i = 0; i < line.size(); ++i) is_blank[i] = is_blank[i] && line[i] == ' ';
  }
  int64_t columns = 0;
  for (size_t i = 0; i < longest; ++i) columns += !is_blank[i] && (i == 0 || is_blank[i - 1]);
  constexpr std::string_view kRemedy =
      "Convert it, for example with pandas.read_fwf(...).to_csv(..., index=False): fields that are "
      "empty "
      "or hold blanks have no separator";
  if (columns > 1) {
    return OtherFormat{.what = absl::StrCat("a table of ", columns, " columns of a fixed width"),
                       .remedy = std::string(kRemedy)};
  }
  const bool has_blanks = std::any_of(lines.begin(), lines.end(), [](std::string_view line) {
    return line.find_first_of(" ,;|") != std::string_view::npos;
  });
  constexpr size_t kShortLine = 4;
  if (has_blanks || longest != shortest || longest < kShortLine) return std::nullopt;
  return OtherFormat{.what = absl::StrCat("lines of ", longest,
                                          " characters each, perhaps columns of a fixed width"),
                     .remedy =
                         "Convert it, for example with pandas.read_fwf(..., "
                         "widths=[...]).to_csv(..., index=False); "
                         "if a character separates the fields, give it: --separator CHARACTER"};
}

}  // namespace dl::dataset
