#include "cli/output/table_report_text.h"

#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "cli/output/table.h"

namespace dl::cli {
namespace {

constexpr size_t kMaxColumns = 30;
constexpr size_t kLongestName = 22, kLongestExample = 14;

// Cuts long text.
std::string Cut(const std::string& text, size_t most) {
  if (text.size() <= most) return text;
  return absl::StrCat(std::string(Utf8Prefix(text, most - 2)), "..");
}

// Escapes control characters and cuts long text.
std::string Printable(const std::string& text, size_t most) {
  return Cut(PrintableName(RepairUtf8(text)), most);
}

std::string Counted(int64_t count, const char* one, const char* many) {
  return absl::StrCat(count, " ", count == 1 ? one : many);
}

std::string LabelText(const dataset::TableReport& report) {
  constexpr size_t kMostClasses = 10;
  std::vector<std::string> classes;
  for (const auto& [name, count] : report.classes) {
    if (classes.size() == kMostClasses) {
      classes.emplace_back("...");
      break;
    }
    classes.push_back(absl::StrCat(Cut(VisibleName(RepairUtf8(name)), kLongestName), " ", count));
  }
  return absl::StrCat(report.label, classes.empty() ? "" : ": ", absl::StrJoin(classes, ", "));
}

std::vector<std::string> RowOf(const dataset::ColumnReport& column, bool has_unknown) {
  std::vector<std::string> row = {
      column.is_doubtful ? "!" : " ",
      column.name.empty() ? absl::StrCat("[", column.index, "]")
                          : Printable(column.name, kLongestName),
      column.type, absl::StrCat(column.distinct_is_exact ? "" : "~", column.distinct),
      absl::StrCat(column.missing)};
  if (has_unknown) row.push_back(absl::StrCat(column.unknown));
  row.push_back(Printable(column.example, kLongestExample));
  row.push_back(column.use);
  return row;
}

}  // namespace

std::string TableReportText(const dataset::TableReport& report) {
  bool has_unknown = false;
  for (const dataset::ColumnReport& column : report.columns)
    has_unknown = has_unknown || column.unknown > 0;
  std::vector<std::vector<std::string>> rows = {
      {" ", "COLUMN", "TYPE", "DISTINCT", "MISSING", "EXAMPLE", "USE"}};
  if (has_unknown) rows[0].insert(rows[0].begin() + 5, "UNKNOWN");
  int64_t hidden = 0;
  for (size_t i = 0; i < report.columns.size(); ++i) {
    const dataset::ColumnReport& column = report.columns[i];
    const bool is_feature = column.use.find("feature") != std::string::npos;
    const bool shows = i < kMaxColumns || column.is_doubtful || !is_feature || column.unknown > 0;
    if (!shows) {
      ++hidden;
      continue;
    }
    rows.push_back(RowOf(column, has_unknown));
  }
  std::string text =
      absl::StrCat(Printable(report.path, 200), ": ", Counted(report.rows, "row", "rows"),
                   ", fields separated by ", report.separator,
                   report.has_header ? ", with a header" : ", without a header",
                   report.has_decimal_commas ? ", decimal commas" : "", "\n", RenderTable(rows));
  if (hidden > 0)
    absl::StrAppend(&text, "  ", Counted(hidden, "more column", "more columns"), " of features\n");
  if (!report.label.empty()) absl::StrAppend(&text, "  label: ", LabelText(report), "\n");
  for (const dataset::TableNote& note : report.notes)
    absl::StrAppend(&text, note.is_doubtful ? "! " : "  ", note.text, "\n");
  return text;
}

Json TableReportJson(const dataset::TableReport& report) {
  Json columns = Json::array(), notes = Json::array(), classes = Json::object();
  for (const dataset::ColumnReport& column : report.columns) {
    columns.push_back({{"name", RepairUtf8(column.name)},
                       {"index", column.index},
                       {"type", column.type},
                       {"distinct", column.distinct},
                       {"distinct_is_exact", column.distinct_is_exact},
                       {"missing", column.missing},
                       {"unknown", column.unknown},
                       {"example", RepairUtf8(column.example)},
                       {"use", column.use},
                       {"doubtful", column.is_doubtful}});
  }
  for (const dataset::TableNote& note : report.notes)
    notes.push_back({{"text", RepairUtf8(note.text)}, {"doubtful", note.is_doubtful}});
  for (const auto& [name, count] : report.classes) classes[RepairUtf8(name)] = count;
  Json json = {{"file", report.path},
               {"rows", report.rows},
               {"header", report.has_header},
               {"separator", report.separator},
               {"decimal", report.has_decimal_commas ? "comma" : "point"},
               {"columns", std::move(columns)},
               {"notes", std::move(notes)}};
  if (!report.label.empty()) json["label"] = report.label;
  if (!report.classes.empty()) json["classes"] = std::move(classes);
  return json;
}

bool IsManyUnknown(const dataset::UnknownCategories& unknown) {
  return 20 * unknown.unknown > unknown.values;
}

std::string UnknownText(const dataset::UnknownCategories& unknown) {
  return absl::StrCat(Printable(unknown.column, 60), ": ", unknown.unknown, " of ",
                      Counted(unknown.values, "value is", "values are"),
                      " unknown to the training set, as \"", Printable(unknown.example, 40), "\"");
}

void ReportUnknown(const std::vector<dataset::UnknownCategories>& unknown, std::ostream& err) {
  for (const dataset::UnknownCategories& column : unknown)
    err << (IsManyUnknown(column) ? "warning: " : "") << UnknownText(column) << std::endl;
}

}  // namespace dl::cli
