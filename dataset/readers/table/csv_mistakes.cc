#include "dataset/readers/table/csv_mistakes.h"

#include <algorithm>
#include <cfloat>
#include <charconv>
#include <cmath>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/printable.h"
#include "dataset/readers/characters.h"
#include "dataset/readers/source_file.h"

namespace dl::dataset {
namespace {

constexpr size_t kBeginBytes = 1 << 20;  // bytes in which the separator is searched

bool IsDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "0x1f".
std::optional<uint64_t> HexadecimalIn(std::string_view text) {
  if (!text.starts_with("0x") && !text.starts_with("0X")) return std::nullopt;
  text.remove_prefix(2);
  uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

// True for "1e99", which exceeds float32.
bool IsTooLarge(std::string_view text) {
  if (text.starts_with("+")) text.remove_prefix(1);
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (stop != text.data() + text.size() || text.empty()) return false;
  if (error == std::errc::result_out_of_range) return true;
  return error == std::errc() && std::isfinite(value) && std::fabs(value) > double{FLT_MAX};
}

bool IsPlainNumber(std::string_view text) {
  double value = 0;
  if (text.starts_with("+")) text.remove_prefix(1);
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop == text.data() + text.size() && std::isfinite(value);
}

std::string WithoutSigns(std::string_view text, std::string_view signs) {
  std::string rest;
  for (const char c : text) {
    if (signs.find(c) == std::string_view::npos) rest.push_back(c);
  }
  return rest;
}

// Returns the number without separators between its thousands: blanks, no-break spaces, narrow
// spaces, apostrophes or underscores. Also points, if there are two of them or a comma follows.
// Returns nullopt for other texts.
std::optional<std::string> WithoutThousands(std::string text) {
  const bool is_ascii = std::all_of(text.begin(), text.end(), absl::ascii_isascii);
  if (!is_ascii) {
    text = absl::StrReplaceAll(text, {{"\xc2\xa0", " "},
                                      {"\xe2\x80\xaf", " "},
                                      {"\xe2\x80\x89", " "},
                                      {"\xe2\x80\x99", "'"},
                                      {"\xa0", " "}});  // a no-break space of Latin-1
  }
  for (const char sign : {' ', '\'', '_'}) {
    if (text.find(sign) == std::string::npos) continue;
    const std::string grouped =
        absl::StrReplaceAll(text, {{",", "."}, {std::string(1, sign), ","}});
    if (HasThousands(grouped)) return WithoutSigns(grouped, ",");
  }
  const bool are_points = std::count(text.begin(), text.end(), '.') > 1 ||
                          (text.find('.') < text.find(',') && text.find(',') != std::string::npos);
  if (!are_points) return std::nullopt;
  const std::string grouped = absl::StrReplaceAll(text, {{".", ","}, {",", "."}});
  return HasThousands(grouped) ? std::optional(WithoutSigns(grouped, ",")) : std::nullopt;
}

bool IsNumberOfAnyKind(const std::string& text) {
  return IsPlainNumber(text) || HasThousands(text) || HasDecimalComma(text) ||
         WithoutThousands(text).has_value();
}

// Returns the currency at the start of the text: a symbol, or a code of three letters. Empty if
// there is none.
std::string_view CurrencyBefore(std::string_view text) {
  // U+20A0 to U+20CF.
  const bool has_sign = text.size() > 3 && text[0] == '\xe2' &&
                        ((text[1] == '\x82' && static_cast<unsigned char>(text[2]) >= 0xa0) ||
                         (text[1] == '\x83' && static_cast<unsigned char>(text[2]) < 0x90));
  if (has_sign) return text.substr(0, 3);
  for (const std::string_view name :
       {"USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "AUD", "CAD", "NZD", "SEK",
        "NOK", "DKK", "PLN", "CZK", "HUF", "RUB", "BRL", "ZAR", "MXN", "KRW", "TRY",
        "HKD", "SGD", "R$",  "US$", "A$",  "C$",  "HK$", "Rs.", "Rs",  "kr"}) {
    if (text.starts_with(name)) return name;
  }
  return "";
}

// Returns the power of ten for a letter after a number, as "e3". Empty if there is none.
std::string PowerOf(std::string_view unit) {
  if (unit == "k" || unit == "K") return "e3";
  if (unit == "M" || unit == "Mio") return "e6";
  return unit == "B" || unit == "bn" || unit == "Mrd" ? "e9" : "";
}

// Returns "18" for "temp=18": the text after a name. Empty if there is no name.
std::string_view NumberAfterName(std::string_view text) {
  const size_t sign = text.find_last_of("=:");
  if (sign == std::string_view::npos || !absl::ascii_isalpha(static_cast<unsigned char>(text[0])))
    return "";
  const bool is_name = std::all_of(text.begin(), text.begin() + sign, [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '.' || c == ' ';
  });
  return is_name ? text.substr(sign + 1) : "";
}

// A number and the additional characters.
struct Decoration {
  std::string sign, number;
};
std::optional<Decoration> DecorationOf(std::string_view field) {
  std::string_view text = field;
  const auto rest = [&](std::string_view sign,
                        std::string_view number) -> std::optional<Decoration> {
    std::string bare(number);
    absl::StripAsciiWhitespace(&bare);
    if (!IsNumberOfAnyKind(bare)) return std::nullopt;
    return Decoration{std::string(sign), bare};
  };
  if (text.size() > 2 && text.starts_with("'") && text.ends_with("'"))
    return rest("quotes", text.substr(1, text.size() - 2));
  // Excel writes ="7" for a text that looks like a number.
  if (text.size() > 3 && text.starts_with("=\"") && text.ends_with("\""))
    return rest("= and quotes", text.substr(2, text.size() - 3));
  const auto negative = [&](std::string_view sign,
                            std::string_view number) -> std::optional<Decoration> {
    auto decoration = rest(sign, number);
    if (decoration) decoration->number.insert(0, "-");
    return decoration;
  };
  if (text.size() > 2 && text.starts_with("(") && text.ends_with(")"))
    return negative("parentheses", text.substr(1, text.size() - 2));
  constexpr std::string_view kMinus = "\xe2\x88\x92";
  if (text.starts_with(kMinus)) return negative("another sign than -", text.substr(kMinus.size()));
  if (text.ends_with("-")) return negative("a minus at its end", text.substr(0, text.size() - 1));
  if (const std::string_view currency = CurrencyBefore(text); !currency.empty())
    return rest(currency, text.substr(currency.size()));
  for (const std::string_view sign :
       {"$", "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5", "%", "USD", "EUR", "GBP", "<", ">", "~"}) {
    if (text.starts_with(sign)) return rest(sign, text.substr(sign.size()));
    if (text.starts_with("-") && text.substr(1).starts_with(sign))
      return rest(sign, absl::StrCat("-", std::string(text.substr(1 + sign.size()))));
    if (text.ends_with(sign)) return rest(sign, text.substr(0, text.size() - sign.size()));
  }
  if (const std::string_view number = NumberAfterName(text); !number.empty())
    return rest(text.substr(0, text.size() - number.size()), number);
  // "12 kg", "3.5GB", and Fortran's "1.5D+03".
  const size_t unit = text.find_last_of("0123456789.");
  if (unit == std::string_view::npos || unit + 1 == text.size()) {
    const size_t d = text.find_first_of("dD");
    if (d == std::string_view::npos || d == 0) return std::nullopt;
    std::string with_e(text);
    with_e[d] = 'e';
    if (!IsPlainNumber(with_e)) return std::nullopt;
    return Decoration{"the exponent D", with_e};
  }
  const std::string_view behind = text.substr(unit + 1);
  const std::string_view sign =
      behind.substr(std::min(behind.find_first_not_of(' '), behind.size()));
  constexpr size_t kLongestUnit = 6;
  if (sign.empty() || sign.size() > kLongestUnit) return std::nullopt;
  if (text[unit] == '.' && sign == behind) return std::nullopt;  // "1.png" is the name of a file
  // "00AB" is a code and not a number with a unit.
  const bool is_hexadecimal =
      behind.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos &&
      text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos && sign.size() > 1;
  if (is_hexadecimal) return std::nullopt;
  auto decoration = rest(sign, text.substr(0, unit + 1));
  if (decoration && IsPlainNumber(decoration->number)) decoration->number += PowerOf(sign);
  return decoration;
}

}  // namespace

std::optional<std::string> WithAsciiDigits(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x80; }))
    return std::nullopt;
  std::u32string characters = Characters(text);
  constexpr std::u32string_view kBlanks = U"\u00a0\u2002\u2003\u2007\u2009\u202f\u3000 ";
  characters.erase(characters.find_last_not_of(kBlanks) + 1);
  characters.erase(0, characters.find_first_not_of(kBlanks));
  std::string number;
  for (const char32_t c : characters) {
    if (HasNoWidth(c)) continue;
    char32_t usual = c == 0x66b ? '.' : c == 0x66c ? ',' : InUsualWidth(c);  // signs of Arabic
    // Digits of Arabic, Persian, Devanagari, Bengali and Thai.
    for (const char32_t zero : {0x660U, 0x6f0U, 0x966U, 0x9e6U, 0xe50U})
      if (IsBetween(c, zero, zero + 9)) usual = '0' + (c - zero);
    if (usual >= 0x80) return std::nullopt;
    number.push_back(static_cast<char>(usual));
  }
  return IsNumberOfAnyKind(number) ? std::optional(number) : std::nullopt;
}

bool HasThousands(std::string_view text) {
  if (text.starts_with("-") || text.starts_with("+")) text.remove_prefix(1);
  const size_t point = text.find('.');
  if (point != std::string_view::npos && !IsDigits(text.substr(point + 1))) return false;
  std::string_view groups = text.substr(0, point);
  for (bool is_first = true;; is_first = false) {
    const size_t comma = groups.find(',');
    const bool is_last = comma == std::string_view::npos;
    const std::string_view group = groups.substr(0, comma);
    // In India, groups before the last one have two digits: "1,23,456".
    const size_t least = is_first ? 1 : is_last ? 3 : 2;
    if (group.size() > 3 || group.size() < least || !IsDigits(group)) return false;
    if (is_first && group.starts_with("0")) return false;  // "0,125"
    if (is_last) return !is_first;
    groups.remove_prefix(comma + 1);
  }
}

bool HasDecimalComma(std::string_view text) {
  if (text.starts_with("-") || text.starts_with("+")) text.remove_prefix(1);
  const size_t comma = text.find(',');
  if (comma == std::string_view::npos) return false;
  std::string_view fraction = text.substr(comma + 1);
  const size_t exponent = fraction.find_first_of("eE");
  if (exponent != std::string_view::npos) {
    std::string_view power = fraction.substr(exponent + 1);
    if (power.starts_with("-") || power.starts_with("+")) power.remove_prefix(1);
    if (!IsDigits(power)) return false;
    fraction = fraction.substr(0, exponent);
  }
  return (comma == 0 || IsDigits(text.substr(0, comma))) && IsDigits(fraction);
}

bool IsDecoratedNumber(const std::string& field) {
  const std::string lower = absl::AsciiStrToLower(field);
  const std::string_view bare =
      std::string_view(lower).substr(lower.starts_with("-") || lower.starts_with("+") ? 1 : 0);
  if (bare == "inf" || bare == "infinity") return true;
  return HasThousands(field) || WithoutThousands(field).has_value() ||
         WithAsciiDigits(field).has_value() || DecorationOf(field).has_value() ||
         HexadecimalIn(field).has_value() || IsTooLarge(field);
}

namespace {

// Returns the number of columns of a table; 0 if the first rows differ in it.
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
         : separator == ' ' ? "runs of blanks"
                            : absl::StrCat("\"", std::string(1, separator), "\"");
}

}  // namespace

NumberMistake ExplainNumber(const std::string& field) {
  const std::string shown = Excerpt(field);
  std::string lower = absl::AsciiStrToLower(field);
  if (lower.starts_with("-") || lower.starts_with("+")) lower.erase(0, 1);
  if (lower == "inf" || lower == "infinity") {
    return {absl::StrCat("\"", shown, "\" is infinite"),
            "Put a finite number there, or remove the row"};
  }
  if (IsTooLarge(field)) {
    return {absl::StrCat("\"", shown, "\" is out of range of a float32"),
            "Give a number from -3.4e38 to 3.4e38"};
  }
  if (const auto value = HexadecimalIn(field)) {
    return {absl::StrCat("\"", shown, "\" is hexadecimal"),
            absl::StrCat("Write it in decimal: ", *value)};
  }
  if (HasThousands(field)) {
    return {absl::StrCat("\"", shown, "\" has commas between its thousands"),
            absl::StrCat("Write it without them: ", absl::StrReplaceAll(shown, {{",", ""}}))};
  }
  if (HasDecimalComma(field)) {
    return {absl::StrCat("\"", shown, "\" has a decimal comma"),
            absl::StrCat("Write it with a point: ", absl::StrReplaceAll(shown, {{",", "."}}),
                         ", or say \"decimal\": \"comma\" of the table (--decimal comma)")};
  }
  if (const auto plain = WithAsciiDigits(field)) {
    return {absl::StrCat("\"", shown,
                         "\" has characters that cannot be seen, or digits of another script"),
            absl::StrCat("Write it as ", *plain)};
  }
  const std::string not_a_number = absl::StrCat("\"", shown, "\" is not a number");
  if (const auto plain = WithoutThousands(field)) {
    return {absl::StrCat("\"", shown, "\" has signs between its thousands"),
            absl::StrCat("Write it without them: ", *plain)};
  }
  if (const auto decoration = DecorationOf(field)) {
    return {absl::StrCat("\"", shown, "\" is not a plain number because of ",
                         Excerpt(decoration->sign)),
            absl::StrCat("Write the number alone: ", decoration->number)};
  }
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
    // "1, 2, A" and "1 | 2 | A".
    const bool is_spaced = text.find(std::string{signs.separator, ' '}) != std::string::npos;
    if (candidate == ' ' && is_spaced) continue;
    const size_t columns = Columns(
        text, {.separator = candidate, .comment = signs.comment, .blanks = candidate == ' '});
    if (columns < most) continue;
    found = candidate;
    most = columns + 1;  // of two equally good separators, the first
  }
  return found;
}

Status OtherSeparator(const std::string& path, char separator, char found) {
  const std::string sign = found == ' ' ? "blanks" : std::string(1, found);
  const std::string in_json = found == '\t' ? "\\t" : sign;
  const std::string set = "data.train.separator=";
  const std::string on_line =
      found == '\t' ? absl::StrCat(set, "$'\\t'") : absl::StrCat("'", set, sign, "'");
  return InvalidArgument({.message = absl::StrCat("the file looks separated by ", Named(found),
                                                  ", not by ", Named(separator)),
                          .where = path,
                          .remedy = absl::StrCat("Set \"separator\": \"", in_json,
                                                 "\" next to its path, or --set ", on_line)});
}

}  // namespace dl::dataset
