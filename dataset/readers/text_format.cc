// Recognizes text that is no table: RecognizeMarkup() and RecognizeText() of foreign_format.h.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "dataset/readers/foreign_format.h"
#include "dataset/readers/format_remedies.h"

namespace dl::dataset {
namespace {

// Returns whether the text is a sheet in SYLK: records of fields, each with a letter.
bool IsSylk(std::string_view text) {
  return text.starts_with("ID;P") && text.find("\nC;") != std::string_view::npos &&
         text.find(";K") != std::string_view::npos;
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

// Returns the first lines of the text without the last one, which may be incomplete.
std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines = absl::StrSplit(std::string(text), '\n');
  lines.pop_back();
  for (std::string& line : lines) {
    if (line.ends_with('\r')) line.pop_back();
  }
  return lines;
}

// Returns whether the line is a part of a sequence of bases or amino acids.
bool IsSequence(const std::string& line) {
  return std::ranges::all_of(line, [](char c) {
    return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '*' || c == '-';
  });
}

// A line of ">" and a name, then lines of letters.
bool IsFasta(std::string_view text) {
  if (!text.starts_with(">")) return false;
  const std::vector<std::string> lines = Lines(text);
  return lines.size() > 1 && !lines[1].empty() && IsSequence(lines[1]) &&
         std::ranges::all_of(lines, [](const std::string& line) {
           return line.starts_with(">") || line.starts_with(";") || IsSequence(line);
         });
}

// "@" and a name, a sequence, "+", and as many signs of quality as the sequence has letters.
bool IsFastq(std::string_view text) {
  if (!text.starts_with("@")) return false;
  const std::vector<std::string> lines = Lines(text);
  constexpr size_t kRecord = 4;
  return lines.size() >= kRecord && !lines[1].empty() && IsSequence(lines[1]) &&
         lines[2].starts_with("+") && lines[3].size() == lines[1].size();
}

bool IsVcf(std::string_view text) { return text.starts_with("##fileformat=VCF"); }

// Returns whether the text is "---" or "- name: value" with more lines of "name: value".
bool IsYaml(std::string_view text) {
  const std::vector<std::string> lines = Lines(text);
  const auto is_entry = [](std::string_view line) {
    const size_t begin = line.find_first_not_of(" -"), colon = line.find(':');
    if (begin == std::string_view::npos || colon == std::string_view::npos || colon <= begin)
      return false;
    const std::string_view name = line.substr(begin, colon - begin);
    return (colon + 1 == line.size() || line[colon + 1] == ' ') &&
           std::ranges::all_of(name, [](char c) {
             return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
           });
  };
  if (lines.size() < 2 || !is_entry(lines[1])) return text.starts_with("%YAML");
  return lines[0] == "---" ||
         (lines[0].starts_with("- ") && is_entry(lines[0]) && lines[1].starts_with("  "));
}

// Returns whether the text is "[name]" with lines of "name = value" below it, as of INI and TOML.
bool IsSettings(std::string_view text) {
  const std::vector<std::string> lines = Lines(text);
  return lines.size() > 1 && lines[0].starts_with("[") && lines[0].ends_with("]") &&
         lines[0].find(',') == std::string::npos && lines[1].find('=') != std::string::npos &&
         lines[1].find(',') == std::string::npos;
}

bool IsIndex(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Returns whether all lines of the text are alike.
bool AllLines(std::string_view text, bool (*is)(const std::string& line)) {
  const std::vector<std::string> lines = Lines(text);
  return lines.size() > 1 && std::ranges::all_of(lines, is);
}

// A label, then "|" and the name of a group of features: "-1 |f a:0.5 b:2".
bool IsVowpalWabbit(std::string_view text) {
  return AllLines(text, [](const std::string& line) {
    const size_t bar = line.find(" |");
    return bar != std::string::npos && bar + 2 < line.size() &&
           absl::ascii_isalpha(static_cast<unsigned char>(line[bar + 2])) &&
           line.find_first_not_of("0123456789.+-' ") == bar + 1;
  });
}

// A label, then entries of a field, a feature and a value: "1 0:3:0.5 1:7:1".
bool IsLibffm(std::string_view text) {
  return AllLines(text, [](const std::string& line) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    return words.size() > 1 && std::all_of(words.begin() + 1, words.end(), [](const auto& word) {
             const std::vector<std::string> parts = absl::StrSplit(word, ':');
             return parts.size() == 3 && IsIndex(parts[0]) && IsIndex(parts[1]);
           });
  });
}

// Texts after labels: "__label__pos a good film".
bool IsFastText(std::string_view text) {
  return AllLines(text, [](const std::string& line) { return line.starts_with("__label__"); });
}

// The names of the columns stand in the last line that begins with "#".
constexpr std::string_view kRemoveComments =
    "Remove the lines that begin with ##, and the # before CHROM: grep -v '^##' FILE | sed "
    "'s/^#//' > table.tsv";

// Texts that programs write for other programs.
struct Markup {
  bool (*is)(std::string_view text);
  std::string_view what, no_table, remedy;
};
constexpr Markup kMarkups[] = {
    {IsRtf, "an RTF document", "an RTF document", kExport},
    {IsJson, "JSON", "JSON, which is no table of text",
     "Convert it to csv: a header line, then a line for each example"},
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

// Texts without markup, which a model of texts may learn.
struct Records {
  bool (*is)(std::string_view text);
  std::string_view what, remedy;
};
constexpr Records kRecords[] = {
    {IsFasta, "a FASTA file", kEncodeSequences},
    {IsFastq, "a FASTQ file", kEncodeSequences},
    {IsVcf, "a VCF file, whose names of columns stand below other lines", kRemoveComments},
    {IsYaml, "YAML, which is no table of text", kWriteRecords},
    {IsSettings, "a file of settings, no table", kNotData},
    {IsVowpalWabbit, "in the format of Vowpal Wabbit",
     "Write its features as CSV, or as libsvm: label index:value ..."},
    {IsLibffm, "in the format of libffm", "Write it as libsvm: label index:value ..."},
    {IsFastText, "in the format of fastText, texts after labels",
     "Turn the texts into numbers first, for example with TfidfVectorizer of scikit-learn, and "
     "save them as CSV or with numpy.savez"},
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
  for (const Records& records : kRecords) {
    if (records.is(text)) return FormatOf(records.what, records.remedy, path);
  }
  return std::nullopt;
}

}  // namespace dl::dataset
