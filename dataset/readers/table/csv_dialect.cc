#include "dataset/readers/table/csv_dialect.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/printable.h"
#include "base/shell_word.h"
#include "dataset/readers/foreign_format.h"
#include "dataset/readers/source_file.h"
#include "dataset/readers/table/dialect_trial.h"
#include "dataset/readers/table/drawn_table.h"
#include "dataset/readers/table/field_kind.h"
#include "dataset/readers/table/odd_lines.h"
#include "job/sources/csv.h"

namespace dl::dataset {
namespace {

constexpr int64_t kMostLinesBefore = 50;

Status BadFile(const std::string& path, std::string message, std::string remedy) {
  return InvalidArgument(
      {.message = std::move(message), .where = path, .remedy = std::move(remedy)});
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

Status Binary(const std::string& path) {
  return BadFile(path, "the file is binary, no table of text",
                 "Check which file it is; export it as CSV from the program that wrote it");
}

// Returns whether the first lines have control characters that no text has.
bool HasControls(std::string_view text) {
  constexpr size_t kLooked = 4096;
  return std::ranges::any_of(text.substr(0, kLooked), [](char c) {
    return absl::ascii_iscntrl(static_cast<unsigned char>(c)) &&
           !absl::ascii_isspace(static_cast<unsigned char>(c));
  });
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
    if (line.starts_with("%") || line.starts_with("#")) continue;
    for (const char* key : {"@problemname", "@timestamps", "@univariate", "@classlabel"}) {
      if (!Lower(line).starts_with(key)) continue;
      return BadFile(path, "the file is a set of time series in the format of sktime (.ts)",
                     "Load it with sktime.datasets.load_from_tsfile, and save arrays [examples, "
                     "steps, features] and labels with numpy.savez");
    }
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
  if (zeros > 0) return Binary(path);
  DL_RETURN_IF_ERROR(CheckLineEnds(begin, path));
  if (const auto drawn = RecognizeDrawnTable(begin.lines, path))
    return ForeignFileError(*drawn, path);
  if (LooksLikeLibsvm(begin)) {
    return BadFile(path, "the file holds rows of libsvm (label index:value ...)",
                   "Rename it to end in .libsvm, or write a .json file and give that: {\"format\": "
                   "\"libsvm\", \"path\": ...}");
  }
  return absl::OkStatus();
}

// Returns the character that may begin comment lines, before the header and between rows; '\0' if
// there is none.
char CommentSign(const FileBegin& begin) {
  const char sign = begin.lines.front().front();
  if (std::string_view("#%!;|").find(sign) == std::string_view::npos) return '\0';
  const auto count = std::count_if(begin.lines.begin(), begin.lines.end(),
                                   [&](std::string_view line) { return line.front() == sign; });
  const auto lines = static_cast<int64_t>(begin.lines.size());
  if (count == lines) return '\0';
  return 2 * count <= lines || (count <= kMostLinesBefore && sign == '#') ? sign : '\0';
}

// Returns whether the line has as many fields as a row of the table.
bool IsRow(std::string_view line, CsvSigns signs, size_t columns) {
  signs.comment = '\0';
  const FileBegin alone{.text = std::string(line), .lines = {}};
  return Try(alone, signs, "").counts == std::vector<size_t>{columns};
}

// Counts all comment lines of the file. Returns InvalidArgument if one of them, after the first
// row, has as many fields as a row: it may be a row that would be lost.
Status CountComments(const std::string& path, size_t columns, CsvDialect& dialect) {
  DL_ASSIGN_OR_RETURN(SourceFile file, SourceFile::Open(path));
  std::string text;
  int64_t line = 0;
  bool after_first_row = false;
  const auto read = [&](std::string_view one) -> Status {
    if (++line == 1 && one.starts_with("\xef\xbb\xbf")) one.remove_prefix(3);
    if (one.empty() || one.front() != dialect.signs.comment) {
      after_first_row |= !WithoutBlanks(one).empty();
      return absl::OkStatus();
    }
    ++dialect.comment_lines;
    if (!after_first_row) {
      dialect.comment_looks_like_header =
          columns > 1 && IsRow(one.substr(1), dialect.signs, columns);
      return absl::OkStatus();
    }
    if (columns < 2 || !IsRow(one, dialect.signs, columns)) return absl::OkStatus();
    const std::string sign(1, dialect.signs.comment);
    return InvalidArgument(
        {.message = absl::StrCat("the line begins with ", sign, " as the comments do, and has ",
                                 columns, " fields as the rows have"),
         .where = absl::StrCat(path, ":", line),
         .remedy = absl::StrCat("Where such lines are rows, remove the comments or write the field "
                                "in quotes; where they are comments, remove them, or set "
                                "\"comment\": \"",
                                sign, "\" in a .json file with the dataset")});
  };
  for (bool more = true; more;) {
    DL_ASSIGN_OR_RETURN(more, file.ReadOnto(text));
    size_t at = 0;
    for (size_t end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
      DL_RETURN_IF_ERROR(read(std::string_view(text).substr(at, end - at)));
    text.erase(0, at);
  }
  return text.empty() ? absl::OkStatus() : read(text);
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
    DL_RETURN_IF_ERROR(CheckHasSeveralFields(begin, path));
    if (HasControls(begin.text)) return Binary(path);
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
  if (rows_are_lines && begin.lines[row].starts_with('#')) {
    return BadFile(
        path,
        absl::StrCat("row ", row + 1, ": \"", Excerpt(begin.lines[row], 60),
                     "\" looks like a comment, most rows have ", best.columns, " fields"),
        "Remove it, or set \"comment\": \"#\" in a .json file with the dataset");
  }
  return BadFile(
      path,
      absl::StrCat("row ", row + 1, ": has ", best.counts[row],
                   best.counts[row] == 1 ? " field" : " fields",
                   rows_are_lines ? absl::StrCat(" (\"", Excerpt(begin.lines[row]), "\")") : "",
                   ", most rows have ", best.columns, ", separated by ", SeparatorText(best.signs)),
      absl::StrCat(
          row + 1 == best.counts.size() && best.counts[row] == 1
              ? "Where the row is a note below the table, remove it; otherwise correct it. "
              : "Correct the row; check the separator and the quotes. ",
          say));
}

std::optional<CsvSigns> SignsOfText(const std::string& separator, char comment) {
  if (separator.empty()) return std::nullopt;
  const bool blanks = separator == job::kSeparatedByBlanks;
  const char sign = blanks ? ' ' : separator.front();
  return CsvSigns{.separator = sign, .comment = sign == comment ? '\0' : comment, .blanks = blanks};
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

// Returns the trial in which the sign of comments begins rows, if all lines have the same number of
// fields then: "#,Name" and "% fat,b" are headers, "#ff0000,A" is a row, and ";a;b" begins with a
// separator.
std::optional<Trial> TakeCommentsForRows(const FileBegin& begin, const Trial& best,
                                         const std::string& path) {
  const CsvSigns& signs = best.signs;
  for (const char separator : {signs.separator, signs.comment}) {
    const bool is_same = separator == signs.separator;
    const Trial all = Try(begin, {.separator = separator, .blanks = is_same && signs.blanks}, path);
    if (all.ok && all.columns > 1 && (!is_same || all.columns == best.columns) &&
        all.Alike() == all.counts.size())
      return all;
  }
  return std::nullopt;
}

// Returns InvalidArgument if the names of the columns stand below rows of few texts, such as a
// title.
Status CheckNoTitle(const FileBegin& begin, const CsvSigns& signs, const std::string& path) {
  constexpr size_t kRowsOfATitle = 6;
  CsvScanner scanner(begin.text, signs, path);
  std::vector<std::string> row;
  const auto is_text = [](const std::string& field) {
    return !field.empty() && LookAtField(field).kind == FieldKind::kText;
  };
  bool were_names = false;  // of the row before
  for (size_t i = 0; i <= kRowsOfATitle; ++i) {
    DL_ASSIGN_OR_RETURN(const bool more, scanner.NextRow(row));
    if (!more) return absl::OkStatus();
    const auto texts = static_cast<size_t>(std::ranges::count_if(row, is_text));
    if (i == 0 && (texts == 0 || 2 * texts >= row.size())) return absl::OkStatus();
    if (were_names && texts < row.size()) {
      return BadFile(path,
                     absl::StrCat("the names of the columns stand in row ", i, ", below \"",
                                  Excerpt(begin.lines.front(), 60), "\""),
                     "Remove the rows above the names");
    }
    if (were_names) return absl::OkStatus();
    were_names = texts == row.size();
  }
  return absl::OkStatus();
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
  const char comment = CommentSign(begin);
  std::string separator = hints.separator;
  if (separator.empty()) separator = ExcelSeparator(begin);
  const auto signs = SignsOfText(separator, comment);
  Trial best = signs ? Try(begin, *signs, path) : BestTrial(begin, comment, path);
  if (best.signs.comment != '\0') {
    if (const auto all_rows = TakeCommentsForRows(begin, best, path)) best = *all_rows;
  }
  dialect.signs = best.signs;
  if (!signs && !best.AllAlike()) return NoCommonSeparator(path, begin, best);
  if (!signs && best.Alike() < best.counts.size()) {
    // The first row lacks a field. A quote in the wrong place may have hidden the commas.
    const Trial commas = Try(begin, {.separator = ',', .comment = best.signs.comment}, path);
    const bool has_more = !commas.counts.empty() && commas.counts.front() > best.counts.front();
    if (!commas.error.ok() && has_more) return commas.error;
  }
  DL_RETURN_IF_ERROR(CheckNoTitle(begin, best.signs, path));
  if (best.signs.comment != '\0') DL_RETURN_IF_ERROR(CountComments(path, best.columns, dialect));
  return dialect;
}

}  // namespace dl::dataset
