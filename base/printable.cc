#include "base/printable.h"

#include "absl/strings/str_cat.h"
#include "base/utf8.h"

namespace dl {
namespace {

enum class LineEnds { kKept, kEscaped };

bool IsControl(unsigned char c) { return c < 0x20 || c == 0x7f; }

std::string Printable(std::string_view text, LineEnds line_ends) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F in UTF-8.
    const bool c1 = c == 0xc2 && i + 1 < text.size() &&
                    (static_cast<unsigned char>(text[i + 1]) & 0xe0) == 0x80;
    const bool kept = line_ends == LineEnds::kKept && (c == '\n' || c == '\t');
    if (c1) {
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
