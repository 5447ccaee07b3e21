#include "dataset/readers/table/dialect_trial.h"

#include <map>
#include <optional>
#include <tuple>

#include "dataset/readers/source_file.h"
#include "dataset/readers/table/field_kind.h"

namespace dl::dataset {
namespace {

constexpr size_t kLookedAtBytes = 1 << 20;
constexpr size_t kRows = 1000;

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

}  // namespace

StatusOr<FileBegin> ReadBegin(const std::string& path) {
  DL_ASSIGN_OR_RETURN(SourceFile file, SourceFile::Open(path));
  FileBegin begin;
  begin.text.reserve(kLookedAtBytes);  // `lines` stay valid when a long text is moved
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
      return std::tuple(t.AllAlike(), alike, t.clean, !t.signs.blanks, t.columns);
    };
    if (rank(*best) < rank(trial)) best = trial;
  }
  return *best;
}

}  // namespace dl::dataset
