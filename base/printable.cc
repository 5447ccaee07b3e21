#include "base/printable.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/json.h"
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

// Returns the place of the last character. REQUIRES: the text is not empty.
size_t LastCharacter(std::string_view text) {
  size_t at = text.size() - 1;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) --at;
  return at;
}

// Returns whether the character at `text[i]` is a blank or has no width.
bool IsUnseenAt(std::string_view text, size_t i) {
  constexpr std::string_view kUnseen[] = {
      " ",      "\u00a0", "\u00ad", "\u1680", "\u180e", "\u2000", "\u2001", "\u2002", "\u2003",
      "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a", "\u200b", "\u200c",
      "\u200d", "\u200e", "\u200f", "\u202f", "\u205f", "\u2060", "\u2800", "\u3000", "\ufeff"};
  return std::ranges::any_of(
      kUnseen, [&](std::string_view character) { return text.substr(i).starts_with(character); });
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

std::string VisibleName(std::string_view name) {
  const std::string escaped = PrintableName(name);
  const bool is_plain = !name.empty() && escaped == name && !IsUnseenAt(name, 0) &&
                        !IsUnseenAt(name, LastCharacter(name));
  return is_plain ? escaped : PrintableName(JsonText(Json(std::string(name))));
}

std::string Excerpt(std::string_view text, size_t max_bytes) {
  return PrintableName(RepairUtf8(Utf8Prefix(text, max_bytes)));
}

}  // namespace dl
