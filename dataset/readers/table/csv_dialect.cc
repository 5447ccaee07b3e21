#include "dataset/readers/table/csv_dialect.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/printable.h"
#include "base/shell_word.h"
#include "dataset/readers/foreign_format.h"
#include "dataset/readers/source_file.h"
#include "dataset/readers/table/drawn_table.h"
#include "dataset/readers/table/field_kind.h"
#include "job/sources/csv.h"

namespace dl::dataset {
namespace {

constexpr size_t kLookedAtBytes = 1 << 20;
constexpr size_t kRows = 1000;
constexpr int64_t kMostLinesBefore = 50;

Status BadFile(const std::string& path, std::string message, std::string remedy) {
  return InvalidArgument(
      {.message = std::move(message), .where = path, .remedy = std::move(remedy)});
}

struct FileBegin {
  std::string text;
  std::vector<std::string_view> lines;  // without blank lines, at most kRows
};

// Returns whole lines, unless the file is one line.
StatusOr<FileBegin> ReadBegin(const std::string& path) {
  DL_ASSIGN_OR_RETURN(SourceFile file, SourceFile::Open(path));
  FileBegin begin;
  bool more = true;
  while (more && begin.text.size() < kLookedAtBytes) {
    DL_ASSIGN_OR_RETURN(more, file.ReadOnto(begin.text));
  }
  if (more) {
    const size_t end = begin.text.find_last_of("\r\n");
    if (end != std::string::npos) begin.text.resize(end);
  }
  if (begin.text.starts_with("\xef\xbb\xbf")) begin.text.erase(0, 3);
  const std::string_view text = begin.text;
  for (size_t at = 0; at < text.size() && begin.lines.size() < kRows;) {
    const size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.find_first_not_of(" \t") != std::string_view::npos) begin.lines.push_back(line);
    at = end + 1;
  }
  return begin;
}

bool IsLibsvmEntry(std::string_view word) {
  const size_t colon = word.find(':');
  const std::string_view index = word.substr(0, colon);
  return colon != std::string_view::npos && colon > 0 && colon + 1 < word.size() &&
         (index == "qid" || index.find_first_not_of("0123456789") == std::string_view::npos) &&
         word.substr(colon + 1).find_first_not_of("0123456789.eE+-") == std::string_view::npos;
}

std::string Lower(std::string_view text) { return absl::AsciiStrToLower(std::string(text)); }

std::string_view WithoutBlanks(std::string_view text) {
  while (!text.empty() && absl::ascii_isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && absl::ascii_isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return text;
}

bool LooksLikeLibsvm(const FileBegin& begin) {
  size_t alike = 0;
  for (const std::string_view line : begin.lines) {
    const std::vector<std::string> words =
        absl::StrSplit(std::string(line), absl::ByAnyChar(" \t"), absl::SkipEmpty());
    alike += words.size() > 1 && std::all_of(words.begin() + 1, words.end(), IsLibsvmEntry);
  }
  return alike * 10 > begin.lines.size() * 9;
}

// For each such number of bytes, one byte 0 is taken for a mistake.
constexpr size_t kBytesOfAZero = 100;

// Returns whether the text has no control characters except line ends, tabs and zeros.
bool IsPrintableText(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c == '\0' || c == '\t' || c == '\n' || c == '\r' || static_cast<unsigned char>(c) >= ' ';
  });
}

// Returns InvalidArgument if the file is not a table of text.
Status CheckIsTable(const std::string& path, const FileBegin& begin) {
  const std::string_view whole = begin.text;
  if (const auto format = RecognizeDocument(whole.substr(0, kFormatBytes), path))
    return ForeignFileError(*format, path);
  if (begin.lines.empty()) {
    return BadFile(path,
                   begin.text.empty() ? "the file is empty" : "the file has blank lines alone",
                   "Name a file with a row for each example");
  }
  const bool are_comments =
      std::all_of(begin.lines.begin(), begin.lines.end(),
                  [](std::string_view line) { return line.starts_with("# "); });
  if (are_comments)
    return BadFile(path, "the file has only comments", "Name a file with a row for each example");
  for (const std::string_view line : begin.lines) {
    if (line.starts_with("%")) continue;
    if (Lower(line).starts_with("@relation") || Lower(line).starts_with("@attribute")) {
      return BadFile(
          path, "the file is an ARFF file (Weka), which is not read",
          "Save it as CSV; or remove all lines down to @data, and write the names of the "
          "attributes as the first line, with commas between them");
    }
    break;
  }
  const std::string_view head = std::string_view(begin.text).substr(0, kFormatBytes);
  const auto zeros = static_cast<size_t>(std::count(head.begin(), head.end(), '\0'));
  if (zeros > 0 && zeros <= 1 + head.size() / kBytesOfAZero && IsPrintableText(head)) {
    const auto line = std::count(head.begin(), head.begin() + head.find('\0'), '\n') + 1;
    return BadFile(path, absl::StrCat("line ", line, " holds a byte 0, which no text has"),
                   absl::StrCat("Remove it: tr -d '\\0' < ", ShellWord(path), " > NEW_FILE"));
  }
  if (zeros > 0) {
    return BadFile(path, "the file is binary, no table of text",
                   "Check which file it is; export it as CSV from the program that wrote it");
  }
  if (const auto drawn = RecognizeDrawnTable(begin.lines, path))
    return ForeignFileError(*drawn, path);
  if (LooksLikeLibsvm(begin)) {
    return BadFile(path, "the file holds rows of libsvm (label index:value ...)",
                   "Rename it to end in .libsvm, or write a .json file and give that: {\"format\": "
                   "\"libsvm\", \"path\": ...}");
  }
  return absl::OkStatus();
}

// Returns the character that begins comment lines, before the header and between rows; '\0' if
// there is none. Sets `count` to the number of these lines.
char CommentSign(const FileBegin& begin, int64_t& count) {
  const char sign = begin.lines.front().front();
  if (std::string_view("#%!;|").find(sign) == std::string_view::npos) return '\0';
  count = std::count_if(begin.lines.begin(), begin.lines.end(),
                        [&](std::string_view line) { return line.front() == sign; });
  const auto lines = static_cast<int64_t>(begin.lines.size());
  if (count == lines) return '\0';
  return 2 * count <= lines || (count < lines && count <= kMostLinesBefore && sign == '#') ? sign
                                                                                           : '\0';
}

// Result of splitting the first rows with the given characters.
struct Trial {
  CsvSigns signs;
  std::vector<size_t> counts;  // number of fields in each row
  size_t columns = 0;          // most frequent number of fields
  double clean = 0;            // share of clean fields
  bool ok = false;             // no error of the scanner
  Status error;                // of the scanner

  size_t Alike() const {
    return static_cast<size_t>(std::count(counts.begin(), counts.end(), columns));
  }
  // Returns whether all rows have the same number of fields, or all but a header that lacks the
  // name of R's row names.
  bool AllAlike() const {
    return ok && columns > 1 &&
           (Alike() == counts.size() ||
            (counts.size() > 2 && Alike() + 1 == counts.size() && counts.front() + 1 == columns));
  }
};

bool IsClean(const std::string& field, const CsvSigns& signs) {
  const FieldLook look = LookAtField(field);
  if (look.kind == FieldKind::kNumber || look.kind == FieldKind::kCommaNumber ||
      look.kind == FieldKind::kDate) {
    return true;
  }
  for (const char other : {',', ';', '\t', '|'}) {
    if (!signs.blanks && other == signs.separator) continue;
    if (field.find(other) != std::string::npos) return false;
  }
  // "5 2" is two numbers.
  const size_t blank = field.find(' ');
  return blank == std::string::npos ||
         LookAtField(field.substr(0, blank)).kind != FieldKind::kNumber ||
         LookAtField(field.substr(field.find_last_of(' ') + 1)).kind != FieldKind::kNumber;
}

Trial Try(const FileBegin& begin, CsvSigns signs, const std::string& path) {
  Trial trial{.signs = signs};
  CsvScanner scanner(begin.text, signs, path);
  std::vector<std::string> fields;
  std::map<size_t, size_t> rows_of;
  size_t all = 0, clean = 0;
  while (trial.counts.size() < kRows) {
    const auto more = scanner.NextRow(fields);
    if (!more.ok()) {
      trial.error = more.status();
      return trial;
    }
    if (!*more) break;
    trial.counts.push_back(fields.size());
    ++rows_of[fields.size()];
    for (const std::string& field : fields) {
      ++all;
      clean += IsClean(field, signs);
    }
  }
  for (const auto& [columns, rows] : rows_of) {
    if (trial.columns == 0 || rows > rows_of[trial.columns]) trial.columns = columns;
  }
  trial.clean = all == 0 ? 0 : static_cast<double>(clean) / static_cast<double>(all);
  trial.ok = !trial.counts.empty();
  return trial;
}

// Returns the best separator. A separator that gives all rows the same number of fields comes
// first.
Trial BestTrial(const FileBegin& begin, char comment, const std::string& path) {
  std::optional<Trial> best;
  for (const char separator : {',', ';', '\t', '|', ' '}) {
    if (separator == comment) continue;
    const Trial trial =
        Try(begin, {.separator = separator, .comment = comment, .blanks = separator == ' '}, path);
    if (!best) {
      best = trial;
      continue;
    }
    const auto rank = [](const Trial& t) {
      const double alike =
          t.columns > 1 ? static_cast<double>(t.Alike()) / static_cast<double>(t.counts.size()) : 0;
      return std::tuple(t.AllAlike(), t.AllAlike() ? 1 : alike, t.clean, t.columns);
    };
    if (rank(*best) < rank(trial)) best = trial;
  }
  return *best;
}

Status NoCommonSeparator(const std::string& path, const FileBegin& begin, const Trial& best) {
  const std::string say =
      "Say what separates the fields, --separator SIGN, where it is another sign than , ; | a tab "
      "or "
      "blanks";
  if (begin.text.find("\\\"") != std::string::npos) {
    return BadFile(path, "the rows have no common separator; it has quotes after backslashes, \\\"",
                   "Write a quote inside a field twice, \"\", as CSV has it");
  }
  // A quote that is not closed hides the rows after it.
  const Trial commas = Try(begin, {.separator = ','}, path);
  const bool tells = commas.counts.empty() ? best.columns < 2 : commas.counts.front() > 1;
  if (!commas.error.ok() && tells) return commas.error;
  const auto fixed =
      best.signs.blanks || best.columns < 2 ? RecognizeFixedWidth(begin.lines) : std::nullopt;
  if (fixed && !best.signs.blanks) return ForeignFileError(*fixed, path);
  if (best.columns < 2 || !best.ok) {
    for (const char sign : {':', '\x01', '^', '~'}) {
      const Trial rare = Try(begin, {.separator = sign, .comment = best.signs.comment}, path);
      if (!rare.AllAlike() || rare.counts.size() < 2) continue;
      const std::string shown = Excerpt(std::string(1, sign));
      return BadFile(
          path,
          absl::StrCat("the rows have no usual separator; they look separated by \"", shown, "\""),
          absl::StrCat("Give it; where it stands twice in a row, the columns between are left "
                       "out as empty: --separator ",
                       sign == '\x01' ? "$'\\x01'" : ShellWord(shown)));
    }
    return BadFile(path,
                   absl::StrCat("the rows have no common separator; the first one is \"",
                                Excerpt(begin.lines.front(), 60), "\""),
                   say);
  }
  size_t before = 0;
  while (before < best.counts.size() && best.counts[before] != best.columns) ++before;
  const bool rest_alike = best.Alike() + before == best.counts.size();
  if (before == 1 && rest_alike && best.counts.front() == best.columns + 1 && !best.signs.blanks &&
      begin.lines.front().ends_with(best.signs.separator)) {
    return BadFile(path, "the first row ends with a separator, and the others do not",
                   "Remove the separator at the end of the first row");
  }
  if (before > 0 && rest_alike && before <= kMostLinesBefore && best.Alike() > 1) {
    return BadFile(path,
                   absl::StrCat("the table begins in row ", before + 1, ", with ", best.columns,
                                " fields separated by ", SeparatorText(best.signs), "; before it ",
                                before == 1 ? "stands " : "stand ",
                                before == 1 ? "a row" : absl::StrCat(before, " rows"),
                                " of other text: \"", Excerpt(begin.lines.front(), 60), "\""),
                   "Remove the lines before the table, or let them begin with #");
  }
  size_t row = 0;
  while (row < best.counts.size() && best.counts[row] == best.columns) ++row;
  if (fixed) {
    return ForeignFileError(
        {.what = absl::StrCat(fixed->what, "; row ", row + 1, " has ", best.counts[row],
                              " texts between blanks, most "
                              "rows have ",
                              best.columns),
         .remedy = fixed->remedy},
        path);
  }
  // Fields in quotes may contain line ends, and comments are not rows.
  const bool rows_are_lines = begin.text.find('"') == std::string::npos &&
                              best.signs.comment == '\0' && row < begin.lines.size();
  return BadFile(
      path,
      absl::StrCat("row ", row + 1, ": has ", best.counts[row],
                   best.counts[row] == 1 ? " field" : " fields",
                   rows_are_lines ? absl::StrCat(" (\"", Excerpt(begin.lines[row]), "\")") : "",
                   ", most rows have ", best.columns, ", separated by ", SeparatorText(best.signs)),
      absl::StrCat("Correct the row; check the separator and the quotes. ", say));
}

std::optional<CsvSigns> SignsOfText(const std::string& separator, char comment) {
  if (separator.empty()) return std::nullopt;
  const bool blanks = separator == job::kSeparatedByBlanks;
  return CsvSigns{
      .separator = blanks ? ' ' : separator.front(), .comment = comment, .blanks = blanks};
}

// Returns the separator of a first line "sep=;".
std::string ExcelSeparator(const FileBegin& begin) {
  std::string_view line = WithoutBlanks(begin.lines.front());
  if (line.starts_with("\"")) line.remove_prefix(1);
  if (line.ends_with("\"")) line.remove_suffix(1);
  if (!Lower(line).starts_with("sep=") || line.size() > 5) return "";
  const auto last = static_cast<unsigned char>(line.back());
  if (last < ' ' || last >= 0x7f) return "";
  return line.size() == 4 ? "\t" : std::string(line.substr(4));  // a tab was removed as a blank
}

}  // namespace

std::string SeparatorText(const CsvSigns& signs) {
  if (signs.blanks) return "runs of blanks";
  return signs.separator == '\t' ? "a tab"
                                 : absl::StrCat("\"", std::string(1, signs.separator), "\"");
}

StatusOr<CsvDialect> FindDialect(const std::string& path, const DialectHints& hints) {
  DL_ASSIGN_OR_RETURN(const FileBegin begin, ReadBegin(path));
  DL_RETURN_IF_ERROR(CheckIsTable(path, begin));
  CsvDialect dialect;
  const char comment = CommentSign(begin, dialect.comment_lines);
  if (comment == '\0') dialect.comment_lines = 0;
  std::string separator = hints.separator;
  if (separator.empty()) separator = ExcelSeparator(begin);
  if (const auto signs = SignsOfText(separator, comment)) {
    dialect.signs = *signs;
    return dialect;
  }
  const Trial best = BestTrial(begin, comment, path);
  if (!best.AllAlike()) return NoCommonSeparator(path, begin, best);
  if (best.Alike() < best.counts.size()) {
    // The first row lacks a field. A quote in the wrong place may have hidden the commas.
    const Trial commas = Try(begin, {.separator = ',', .comment = comment}, path);
    const bool has_more = !commas.counts.empty() && commas.counts.front() > best.counts.front();
    if (!commas.error.ok() && has_more) return commas.error;
  }
  dialect.signs = best.signs;
  if (comment != '\0') {
    size_t first = 0;  // first line that is not a comment
    while (begin.lines[first].front() == comment) ++first;
    const std::string header(begin.lines[first - 1].substr(1));
    const FileBegin line{.text = header, .lines = {}};
    dialect.comment_looks_like_header =
        Try(line, {.separator = best.signs.separator, .blanks = best.signs.blanks}, path).counts ==
        std::vector<size_t>{best.columns};
  }
  return dialect;
}

}  // namespace dl::dataset
