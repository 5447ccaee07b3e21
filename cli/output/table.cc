#include "cli/output/table.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_split.h"
#include "base/printable.h"
#include "dataset/readers/characters.h"

namespace dl::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr size_t kGap = 2;

bool BeginsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

size_t Characters(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, BeginsCharacter));
}

// Returns the number of cells that a terminal needs for a character: 2 for those of Chinese,
// Japanese and Korean and for emoji (Unicode Standard Annex 11), 0 for marks on other characters.
size_t CellsOf(char32_t c) {
  using dataset::IsBetween;
  if (IsBetween(c, 0x300, 0x36f) || IsBetween(c, 0x1160, 0x11ff) || dataset::HasNoWidth(c))
    return 0;
  const bool is_wide = IsBetween(c, 0x1100, 0x115f) || IsBetween(c, 0x2e80, 0x303e) ||
                       IsBetween(c, 0x3041, 0xa4cf) || IsBetween(c, 0xac00, 0xd7a3) ||
                       IsBetween(c, 0xf900, 0xfaff) || IsBetween(c, 0xfe30, 0xfe6f) ||
                       IsBetween(c, 0xff01, 0xff60) || IsBetween(c, 0xffe0, 0xffe6) ||
                       IsBetween(c, 0x1f300, 0x1f64f) || IsBetween(c, 0x1f680, 0x1f6ff) ||
                       IsBetween(c, 0x1f900, 0x1f9ff) || IsBetween(c, 0x20000, 0x3fffd);
  return is_wide ? 2 : 1;
}

size_t Cells(std::string_view text) {
  size_t cells = 0;
  for (const char32_t c : dataset::Characters(text)) cells += CellsOf(c);
  return cells;
}

// Returns the index of the byte at which character `number` begins, or the size of the text.
size_t ByteOf(std::string_view text, size_t number) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (BeginsCharacter(text[i]) && number-- == 0) return i;
  }
  return text.size();
}

// A line end in a name would break the table.
void EscapeCells(Rows& rows) {
  for (auto& row : rows) {
    for (std::string& cell : row) cell = PrintableName(cell);
  }
}

std::vector<size_t> WidthsOf(const Rows& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Cells(row[i]));
  }
  return widths;
}

// Returns the width of the columns [first, end) with a gap after each.
size_t WidthOf(const std::vector<size_t>& widths, size_t first, size_t end) {
  size_t width = 0;
  for (size_t i = first; i < end; ++i) width += widths[i] + kGap;
  return width;
}

std::string Line(const std::vector<std::string>& row, const std::vector<size_t>& widths) {
  std::string line;
  for (size_t i = 0; i < row.size(); ++i) {
    line += row[i];
    line.append(widths[i] - std::min(widths[i], Cells(row[i])) + kGap, ' ');
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string Shortened(const std::string& text, size_t most) {
  const size_t length = Characters(text);
  if (length <= most) return text;
  const size_t end = (most - 1) / 3, begin = most - 1 - end;
  return text.substr(0, ByteOf(text, begin)) + "…" + text.substr(ByteOf(text, length - end));
}

std::string RenderTable(std::vector<std::vector<std::string>> rows) {
  EscapeCells(rows);
  const std::vector<size_t> widths = WidthsOf(rows);
  std::string text;
  for (const auto& row : rows) text += Line(row, widths);
  return text;
}

std::string RenderTableWithin(std::vector<std::vector<std::string>> rows, size_t columns) {
  EscapeCells(rows);
  const std::vector<size_t> widths = WidthsOf(rows);
  const size_t others = WidthOf(widths, 1, widths.size());
  const size_t most = std::max(kMinName, columns - std::min(columns, others));
  for (auto& row : rows) row.front() = Shortened(row.front(), most);
  const size_t before = WidthOf(WidthsOf(rows), 0, widths.size() - 1);
  const size_t left = columns - std::min(columns, before);
  for (auto& row : rows) {
    if (left > 0 && row.size() == widths.size()) row.back() = Shortened(row.back(), left);
  }
  return RenderTable(std::move(rows));
}

std::string RenderTableWithNotes(std::vector<std::vector<std::string>> rows, size_t name) {
  EscapeCells(rows);
  std::vector<size_t> widths = WidthsOf(rows);
  const size_t last = widths.size() - 1;
  // Names longer than this make the table too wide without its notes.
  const size_t others = WidthOf(widths, 0, last) - widths[name];
  const size_t longest = std::max(kMinName, kColumns - std::min(kColumns, others));
  widths[name] = 0;
  for (const auto& row : rows) {
    if (const size_t length = Cells(row[name]); length <= longest)
      widths[name] = std::max(widths[name], length);
  }
  std::string text;
  for (auto& row : rows) {
    if (Cells(row[name]) > longest) {
      const auto rest = row.begin() + static_cast<std::ptrdiff_t>(name) + 1;
      text += Line({row.begin(), rest}, widths);
      std::fill(row.begin(), rest, "");
    }
    std::string note;
    if (WidthOf(widths, 0, last) + Cells(row.back()) > kColumns)
      note = std::exchange(row.back(), "");
    text += Line(row, widths);
    if (!note.empty()) text += "    " + note + "\n";
  }
  return text;
}

size_t LongestLine(const std::string& text) {
  size_t longest = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n'))
    longest = std::max(longest, Characters(std::string_view(line.data(), line.size())));
  return longest;
}

}  // namespace dl::cli
