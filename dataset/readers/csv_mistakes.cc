#include "dataset/readers/csv_mistakes.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "dataset/readers/source_file.h"

namespace dl::dataset {
namespace {

constexpr size_t kLongestShown = 40;
constexpr size_t kBeginBytes = 1 << 20;  // in which to look for the separator

bool IsDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "1,000" and "-1,234,567.5": groups of three digits behind the first.
bool HasThousands(std::string_view text) {
  if (text.starts_with("-") || text.starts_with("+")) text.remove_prefix(1);
  const std::vector<std::string> parts = absl::StrSplit(std::string(text), absl::MaxSplits('.', 1));
  if (parts.size() > 1 && !IsDigits(parts[1])) return false;
  const std::vector<std::string> groups = absl::StrSplit(parts[0], ',');
  for (size_t i = 0; i < groups.size(); ++i) {
    if (!IsDigits(groups[i]) || groups[i].size() > 3 || (i > 0 && groups[i].size() < 3))
      return false;
  }
  return groups.size() > 1;
}

bool HasDecimalComma(std::string_view text) {
  if (text.starts_with("-") || text.starts_with("+")) text.remove_prefix(1);
  const size_t comma = text.find(',');
  return comma != std::string_view::npos && IsDigits(text.substr(0, comma)) &&
         IsDigits(text.substr(comma + 1));
}

// The columns of a table whose first rows all have as many; 0 when they do not.
size_t Columns(std::string_view text, CsvSigns signs) {
  constexpr int kRows = 20;
  CsvScanner scanner(text, signs, "");
  std::vector<std::string> fields;
  size_t columns = 0;
  for (int row = 0; row < kRows; ++row) {
    auto more = scanner.NextRow(fields);
    if (!more.ok()) return 0;
    if (!*more) break;
    if (row > 0 && fields.size() != columns) return 0;
    columns = fields.size();
  }
  return columns;
}

std::string Named(char separator) {
  return separator == '\t'  ? "a tab"
         : separator == ' ' ? "a space"
                            : absl::StrCat("\"", std::string(1, separator), "\"");
}

}  // namespace

NumberMistake ExplainNumber(const std::string& field) {
  const std::string shown = absl::CHexEscape(field.substr(0, kLongestShown));
  std::string lower = absl::AsciiStrToLower(field);
  if (lower.starts_with("-") || lower.starts_with("+")) lower.erase(0, 1);
  if (lower == "inf" || lower == "infinity") {
    return {absl::StrCat("\"", shown, "\" is infinite"),
            "Put a finite number there, or remove the row"};
  }
  if (HasThousands(field)) {
    return {absl::StrCat("\"", shown, "\" has commas between its thousands"),
            absl::StrCat("Write it without them: ", absl::StrReplaceAll(shown, {{",", ""}}))};
  }
  if (HasDecimalComma(field)) {
    return {absl::StrCat("\"", shown, "\" has a decimal comma"),
            absl::StrCat("Write it with a point: ", absl::StrReplaceAll(shown, {{",", "."}}))};
  }
  const std::string not_a_number = absl::StrCat("\"", shown, "\" is not a number");
  if (lower.ends_with("%")) return {not_a_number, "Write it without the sign"};
  for (const char* word : {"true", "false", "yes", "no"}) {
    if (lower == word) return {not_a_number, "Write yes and no as 1 and 0"};
  }
  return {not_a_number, std::string(kEncodeCategories)};
}

StatusOr<std::optional<char>> LooksSeparatedBy(const std::string& path, CsvSigns signs) {
  DL_ASSIGN_OR_RETURN(SourceFile file, SourceFile::Open(path));
  std::string text;
  for (bool more = true; more && text.size() < kBeginBytes;) {
    DL_ASSIGN_OR_RETURN(more, file.ReadOnto(text));
  }
  size_t most = std::max(Columns(text, signs), size_t{2});
  std::optional<char> found;
  for (char candidate : {',', ';', '\t', '|', ' '}) {
    if (candidate == signs.separator || candidate == signs.comment) continue;
    const size_t columns = Columns(text, {.separator = candidate, .comment = signs.comment});
    if (columns < most) continue;
    found = candidate;
    most = columns + 1;  // of two that do, the first
  }
  return found;
}

Status OtherSeparator(const std::string& path, char separator, char found) {
  const std::string sign(1, found);
  const std::string in_json = found == '\t' ? "\\t" : sign;
  const std::string set = "data.train.separator=";
  const std::string on_line =
      found == '\t' ? absl::StrCat(set, "$'\\t'") : absl::StrCat("'", set, sign, "'");
  return InvalidArgument({.message = absl::StrCat("the file looks separated by ", Named(found),
                                                  ", not by ", Named(separator)),
                          .where = path,
                          .remedy = absl::StrCat("Say \"separator\": \"", in_json,
                                                 "\" beside its path, or --set ", on_line)});
}

}  // namespace dl::dataset
