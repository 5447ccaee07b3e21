// Recognizes text that is no table: RecognizeMarkup() and RecognizeText() of foreign_format.h.
#include <string>

#include "absl/strings/ascii.h"
#include "dataset/readers/foreign_format.h"
#include "dataset/readers/format_remedies.h"
#include "dataset/readers/record_format.h"

namespace dl::dataset {
namespace {

// Returns whether the text is a sheet in SYLK: records of fields, each with a letter.
bool IsSylk(std::string_view text) {
  return text.starts_with("ID;P") && text.find("\nC;") != std::string_view::npos &&
         text.find(";K") != std::string_view::npos;
}

// Returns whether the text is dicts of Python, which JSON writes with other quotes.
bool IsPython(std::string_view text) {
  return text.starts_with("{'") && text.find("':") != std::string_view::npos;
}

bool IsRtf(std::string_view text) { return text.starts_with("{\\rtf"); }

bool IsLfsPointer(std::string_view text) { return text.starts_with("version https://git-lfs"); }

bool IsScript(std::string_view text) { return text.starts_with("#!/"); }

std::string_view SkipBlanks(std::string_view text) {
  while (!text.empty() && absl::ascii_isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  return text;
}

// Returns whether the text is JSON. The second character of JSON never follows the first one in the
// cell of a table.
bool IsJson(std::string_view text) {
  if (!text.starts_with("{") && !text.starts_with("[")) return false;
  const std::string_view rest = SkipBlanks(text.substr(1));
  if (text.front() == '{') return rest.starts_with("\"") || rest.starts_with("}");
  return rest.starts_with("{") || rest.starts_with("[") || rest.starts_with("\"");
}

// Returns whether the text is markup: "<?xml", "<!--", or a tag such as "<html>" in a text with a
// closing tag. Column names may also be in angle brackets, such as "<DATE>".
bool IsMarkup(std::string_view text) {
  if (text.size() < 3 || text[0] != '<') return false;
  if (text[1] == '?' || text[1] == '!') return true;
  return absl::ascii_isalpha(static_cast<unsigned char>(text[1])) &&
         (text.find("</") != std::string_view::npos || text.find("/>") != std::string_view::npos);
}

// Returns whether the text is statements of SQL, or the rows of one: "(1, 2, 'A'),".
bool IsSql(std::string_view text) {
  const std::string line = absl::AsciiStrToUpper(std::string(text.substr(0, text.find('\n'))));
  for (const std::string_view begin :
       {"INSERT INTO ", "CREATE TABLE ", "-- MYSQL DUMP", "-- MARIADB DUMP", "PRAGMA FOREIGN_KEYS",
        "BEGIN TRANSACTION;", "/*!40101 SET"}) {
    if (line.starts_with(begin)) return true;
  }
  if (line.starts_with("COPY ") && line.find(" FROM STDIN") != std::string::npos) return true;
  if (line == "--" || line.starts_with("-- POSTGRESQL DATABASE"))
    return text.find("PostgreSQL database dump") != std::string_view::npos;
  std::string_view row = line;
  while (!row.empty() && absl::ascii_isspace(static_cast<unsigned char>(row.back())))
    row.remove_suffix(1);
  return row.size() > 3 && row[0] == '(' &&
         std::string_view("0123456789-'\"N").find(row[1]) != std::string_view::npos &&
         (row.ends_with("),") || row.ends_with(");"));
}

// Texts that programs write for other programs.
struct Markup {
  bool (*is)(std::string_view text);
  std::string_view what, no_table, remedy;
};
constexpr Markup kMarkups[] = {
    {IsRtf, "an RTF document", "an RTF document", kExport},
    {IsJson, "JSON", "JSON, which is no table of text",
     "Convert it to csv: a header line, then a line for each example"},
    {IsPython, "text with dicts of Python", "text with dicts of Python, which is no table",
     kWriteRecords},
    {IsMarkup, "a page of HTML or XML", "a page of HTML or XML, no table",
     "Fetch the data itself: a link may lead to a page about it"},
    {IsSql, "a dump of SQL", "a dump of SQL, no table of text",
     "Export the table as CSV: psql --csv, mysql --batch, or sqlite3 -header -csv"},
    {IsSylk, "a sheet in SYLK", "a sheet in SYLK, as Excel's .slk", kExportSheet},
    {IsLfsPointer, "a pointer of Git LFS", "a pointer of Git LFS, not the data",
     "Fetch it: git lfs pull"},
    {IsScript, "a script", "a script, no table",
     "Check which file it is; a job program must be executable: chmod +x FILE"},
};

}  // namespace

std::string_view RecognizeMarkup(std::string_view begin) {
  const std::string_view text = SkipBlanks(begin);
  for (const Markup& markup : kMarkups) {
    if (markup.is(text)) return markup.what;
  }
  return "";
}

std::optional<OtherFormat> RecognizeText(std::string_view begin, const std::string& path) {
  const std::string_view text = SkipBlanks(begin);
  for (const Markup& markup : kMarkups) {
    if (markup.is(text)) return FormatOf(markup.no_table, markup.remedy, path);
  }
  return RecognizeRecords(text, path);
}

}  // namespace dl::dataset
