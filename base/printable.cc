#include "base/printable.h"

#include "absl/strings/str_cat.h"
#include "base/utf8.h"

namespace dl {
namespace {

enum class LineEnds { kKept, kEscaped };

bool IsControl(unsigned char c) { return c < 0x20 || c == 0x7f; }

// The character that begins at `text[i]`, where it changes the order or the lines of what is shown:
// U+2028 to U+202E and U+2066 to U+2069. 0 for any other one.
int LayoutControlAt(std::string_view text, size_t i) {
  if (i + 2 >= text.size() || text[i] != '\xe2') return 0;
  const int second = static_cast<unsigned char>(text[i + 1]);
  const int third = static_cast<unsigned char>(text[i + 2]);
  const int character = 0x2000 + (second & 0x3f) * 64 + (third & 0x3f);
  const bool is_layout =
      (character >= 0x2028 && character <= 0x202e) || (character >= 0x2066 && character <= 0x2069);
  return is_layout ? character : 0;
}

std::string Printable(std::string_view text, LineEnds line_ends) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F in UTF-8.
    const bool c1 = c == 0xc2 && i + 1 < text.size() &&
                    (static_cast<unsigned char>(text[i + 1]) & 0xe0) == 0x80;
    const bool kept = line_ends == LineEnds::kKept && (c == '\n' || c == '\t');
    if (const int layout = LayoutControlAt(text, i); layout != 0) {
      absl::StrAppend(&out, "\\u", absl::Hex(layout, absl::kZeroPad4));
      i += 2;
    } else if (c1) {
      absl::StrAppend(&out, "\\u",
                      absl::Hex(static_cast<unsigned char>(text[++i]), absl::kZeroPad4));
    } else if (!IsControl(c) || kept) {
      out += text[i];
    } else if (c == '\n' || c == '\r' || c == '\t') {
      out += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
    } else {
      absl::StrAppend(&out, "\\u", absl::Hex(c, absl::kZeroPad4));
    }
  }
  return out;
}

}  // namespace

std::string PrintableText(std::string_view text) { return Printable(text, LineEnds::kKept); }
std::string PrintableName(std::string_view name) { return Printable(name, LineEnds::kEscaped); }

std::string Excerpt(std::string_view text, size_t max_bytes) {
  return PrintableName(RepairUtf8(Utf8Prefix(text, max_bytes)));
}

}  // namespace dl
