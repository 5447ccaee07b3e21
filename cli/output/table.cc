#include "cli/output/table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_split.h"
#include "base/printable.h"

namespace dl::cli {
namespace {

constexpr size_t kGap = 2;

// A line end in a name would break the table.
void EscapeCells(std::vector<std::vector<std::string>>& rows) {
  for (auto& row : rows) {
    for (std::string& cell : row) cell = PrintableName(cell);
  }
}

std::vector<size_t> WidthsOf(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  return widths;
}

std::string Line(const std::vector<std::string>& row, const std::vector<size_t>& widths) {
  std::string line;
  for (size_t i = 0; i < row.size(); ++i) {
    line += row[i];
    line.append(widths[i] - row[i].size() + kGap, ' ');
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string RenderTable(std::vector<std::vector<std::string>> rows) {
  EscapeCells(rows);
  const std::vector<size_t> widths = WidthsOf(rows);
  std::string text;
  for (const auto& row : rows) text += Line(row, widths);
  return text;
}

std::string RenderTableWithNotes(std::vector<std::vector<std::string>> rows) {
  EscapeCells(rows);
  const std::vector<size_t> widths = WidthsOf(rows);
  size_t before = 0;  // width of the columns before the last one
  for (size_t i = 0; i + 1 < widths.size(); ++i) before += widths[i] + kGap;
  std::string text;
  for (auto& row : rows) {
    std::string note;
    if (before + row.back().size() > kColumns) note = std::exchange(row.back(), "");
    text += Line(row, widths);
    if (!note.empty()) text += "    " + note + "\n";
  }
  return text;
}

size_t LongestLine(const std::string& text) {
  size_t longest = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n'))
    longest = std::max(longest, line.size());
  return longest;
}

}  // namespace dl::cli
