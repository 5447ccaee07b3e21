#include "dataset/readers/alike_texts.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"
#include "base/utf8.h"
#include "dataset/readers/characters.h"
#include "dataset/readers/numbers.h"

namespace dl::dataset {
namespace {

// Undoes that a program read UTF-8 as Windows-1252, which turns "é" into "Ã©".
std::string WithCharactersRepaired(const std::string& text) {
  static constexpr char32_t kWindows1252[] = {
      0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021, 0x2c6,  0x2030, 0x160,
      0x2039, 0x152,  0x8d,   0x17d,  0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
      0x2013, 0x2014, 0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178};
  std::string bytes;
  bool is_ascii = true;
  for (const char32_t c : Characters(text)) {
    const auto* found = std::find(std::begin(kWindows1252), std::end(kWindows1252), c);
    if (found == std::end(kWindows1252) && c > 0xff) return text;
    const char32_t byte =
        found == std::end(kWindows1252) ? c : 0x80 + (found - std::begin(kWindows1252));
    is_ascii = is_ascii && byte < 0x80;
    bytes.push_back(static_cast<char>(byte));
  }
  return !is_ascii && IsUtf8(bytes) ? bytes : text;
}

std::string WithoutHtmlEscapes(const std::string& text) {
  return absl::StrReplaceAll(text, {{"&amp;", "&"},
                                    {"&lt;", "<"},
                                    {"&gt;", ">"},
                                    {"&quot;", "\""},
                                    {"&apos;", "'"},
                                    {"&#39;", "'"},
                                    {"&#x27;", "'"},
                                    {"&nbsp;", " "}});
}

using Text = std::u32string;

template <typename Change>
Text Changed(Text text, Change change) {
  for (char32_t& c : text) c = change(c);
  return text;
}

Text WithUsualWidth(Text text) { return Changed(std::move(text), InUsualWidth); }

Text WithPlainDashes(Text text) {
  return Changed(std::move(text),
                 [](char32_t c) { return IsBetween(c, 0x2010, 0x2015) || c == 0x2212 ? U'-' : c; });
}

Text WithPlainQuotes(Text text) {
  return Changed(std::move(text), [](char32_t c) {
    const bool is_single = IsBetween(c, 0x2018, 0x201b) || c == 0x2bc || c == 0xb4 || c == '`';
    return is_single ? U'\'' : IsBetween(c, 0x201c, 0x201f) ? U'"' : c;
  });
}

// Letters of ASCII, Latin with accents, Greek and Cyrillic in lower case.
Text InLowerCase(Text text) {
  return Changed(std::move(text), [](char32_t c) -> char32_t {
    const bool has_pairs = IsBetween(c, 0x100, 0x137) || IsBetween(c, 0x14a, 0x177) ||
                           IsBetween(c, 0x1e00, 0x1e95) || IsBetween(c, 0x1ea0, 0x1eff) ||
                           IsBetween(c, 0x460, 0x481) || IsBetween(c, 0x48a, 0x4bf);
    if (has_pairs) return c | 1;  // a capital letter is even, its small letter follows
    if (IsBetween(c, 0x139, 0x148) || IsBetween(c, 0x179, 0x17e)) return c + (c & 1);
    if (IsBetween(c, 'A', 'Z') || (IsBetween(c, 0xc0, 0xde) && c != 0xd7) ||
        IsBetween(c, 0x391, 0x3ab) || IsBetween(c, 0x410, 0x42f))
      return c + 0x20;
    return IsBetween(c, 0x400, 0x40f) ? c + 0x50 : c;
  });
}

// Turkish has a dotless i. Lower case of its capital I with a dot is "i" with a dot as a mark, or
// "ı" by InLowerCase().
Text WithUsualI(Text text) {
  constexpr char32_t kDotless = 0x131, kDot = 0x307;
  Text out;
  for (const char32_t c : text) {
    if (c == kDot && !out.empty() && out.back() == 'i') continue;
    out.push_back(c == kDotless ? U'i' : c);
  }
  return out;
}

Text WithoutLigatures(Text text) {
  static constexpr std::pair<char32_t, std::u32string_view> kLigatures[] = {
      {0xdf, U"ss"},   {0x1e9e, U"ss"}, {0xe6, U"ae"},    {0x153, U"oe"},   {0xfb00, U"ff"},
      {0xfb01, U"fi"}, {0xfb02, U"fl"}, {0xfb03, U"ffi"}, {0xfb04, U"ffl"}, {0xfb06, U"st"}};
  Text out;
  for (const char32_t c : text) {
    const auto* found =
        std::ranges::find(kLigatures, c, [](const auto& ligature) { return ligature.first; });
    if (found == std::end(kLigatures)) {
      out.push_back(c);
    } else {
      out += found->second;
    }
  }
  return out;
}

// Replaces dashes and underscores between letters or digits by blanks.
Text WithBlanksBetweenWords(Text text) {
  const auto is_in_word = [](char32_t c) {
    return c >= 0x80 || absl::ascii_isalnum(static_cast<unsigned char>(c));
  };
  for (size_t i = 1; i + 1 < text.size(); ++i) {
    const bool separates = text[i] == '-' || text[i] == '_';
    if (separates && is_in_word(text[i - 1]) && is_in_word(text[i + 1])) text[i] = ' ';
  }
  return text;
}

// Each run of blanks becomes one, none stay at the ends, and characters without a width go.
Text WithSingleBlanks(Text text) {
  Text out;
  for (const char32_t c : text) {
    if (HasNoWidth(c)) continue;
    const bool is_blank = c == ' ' || IsBetween(c, 9, 13) || c == 0xa0 || c == 0x3000 ||
                          IsBetween(c, 0x2000, 0x200a) || c == 0x202f || c == 0x205f;
    if (!is_blank) out.push_back(c);
    if (is_blank && !out.empty() && out.back() != ' ') out.push_back(' ');
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// Removes quotes around the text and a full stop at its end.
Text WithoutPunctuation(Text text) {
  for (const char32_t quote : {U'"', U'\''}) {
    if (text.size() > 2 && text.front() == quote && text.back() == quote)
      text = text.substr(1, text.size() - 2);
  }
  if (text.size() > 1 && text.back() == '.') text.pop_back();
  return text;
}

// Replaces small Cyrillic letters that look like Latin ones, also as capitals.
Text InLatinLetters(Text text) {
  static constexpr std::u32string_view kCyrillic = U"авекмнорстухіѕј", kLatin = U"abekmhopctyxisj";
  return Changed(std::move(text), [](char32_t c) {
    const size_t place = kCyrillic.find(c);
    return place == std::u32string_view::npos ? c : kLatin[place];
  });
}

// Splits syllables of Hangul into letters (The Unicode Standard, section 3.12).
Text WithoutSyllables(Text text) {
  Text out;
  for (const char32_t c : text) {
    if (!IsBetween(c, 0xac00, 0xd7a3)) {
      out.push_back(c);
      continue;
    }
    constexpr char32_t kVowels = 21, kFinals = 28;
    const char32_t index = c - 0xac00;
    out.push_back(0x1100 + index / (kVowels * kFinals));
    out.push_back(0x1161 + index / kFinals % kVowels);
    if (index % kFinals > 0) out.push_back(0x11a7 + index % kFinals);
  }
  return out;
}

bool IsMark(char32_t c) { return IsBetween(c, 0x300, 0x36f) || c == 0x3099 || c == 0x309a; }

// Returns whether a small letter or a kana has an accent within the character.
bool HasAccent(char32_t c) {
  static constexpr std::u32string_view kCyrillic = U"ѐёѓїќѝўй";
  const char32_t kana = IsBetween(c, 0x30a0, 0x30ff) ? c - 0x60 : c;  // as Hiragana
  const bool is_voiced = (IsBetween(kana, 0x304c, 0x3062) && kana % 2 == 0) ||
                         (IsBetween(kana, 0x3065, 0x3069) && kana % 2 == 1) ||
                         (IsBetween(kana, 0x3070, 0x307d) && (kana - 0x306f) % 3 != 0) ||
                         kana == 0x3094;
  return IsBetween(c, 0xc0, 0x24f) || IsBetween(c, 0x1e00, 0x1fff) || IsBetween(c, 0x3ac, 0x3b0) ||
         IsBetween(c, 0x3ca, 0x3ce) || kCyrillic.find(c) != std::u32string_view::npos || is_voiced;
}

// Returns the text with one sign for each letter with an accent, in either encoding.
Text WithoutAccents(Text text) {
  constexpr char32_t kAccented = 1;
  Text out;
  for (const char32_t c : text) {
    if (!IsMark(c)) out.push_back(HasAccent(c) ? kAccented : c);
    if (IsMark(c) && !out.empty()) out.back() = kAccented;
  }
  return out;
}

bool HasMark(const std::string& text) { return std::ranges::any_of(Characters(text), IsMark); }

// Removes a comment, such as that of "A # checked".
Text WithoutComment(Text text) {
  if (const size_t sign = text.find(U" # "); sign != Text::npos) text.resize(sign);
  return text;
}

// A way to write a text, and the function that removes it.
struct Spelling {
  std::string_view name;
  Text (*remove)(Text);
};
constexpr Spelling kSpellings[] = {
    {"full-width characters", WithUsualWidth},
    {"the form of dashes", WithPlainDashes},
    {"the form of quotes", WithPlainQuotes},
    {"the case of letters", InLowerCase},
    {"dotted and dotless i", WithUsualI},
    {"ligatures such as \u00df", WithoutLigatures},
    {"blanks", WithSingleBlanks},
    {"dashes, underscores or blanks between words", WithBlanksBetweenWords},
    {"quotes or a full stop at the end", WithoutPunctuation},
    {"a comment after #", WithoutComment},
    {"letters of another alphabet that look the same", InLatinLetters},
    {"the encoding of syllables", WithoutSyllables},
    {"the encoding of accents", WithoutAccents},  // not exact, see DifferenceOf
};

std::string_view DifferenceOf(const std::string& a, const std::string& b) {
  const std::string repaired_a = WithCharactersRepaired(a), repaired_b = WithCharactersRepaired(b);
  if (repaired_a == repaired_b) return "the encoding of characters";
  const std::string plain_a = WithoutHtmlEscapes(repaired_a),
                    plain_b = WithoutHtmlEscapes(repaired_b);
  if (plain_a == plain_b) return "characters that HTML escapes";
  Text left = Characters(plain_a), right = Characters(plain_b);
  for (const Spelling& spelling : kSpellings) {
    // Without accents, different letters are equal. Only one of the texts must have marks.
    if (spelling.remove == WithoutAccents && HasMark(a) == HasMark(b)) return "";
    left = spelling.remove(std::move(left));
    right = spelling.remove(std::move(right));
    if (left == right) return spelling.name;
  }
  return "";
}

Text WithoutSpellings(const std::string& text) {
  Text rest = Characters(WithoutHtmlEscapes(WithCharactersRepaired(text)));
  for (const Spelling& spelling : kSpellings) rest = spelling.remove(std::move(rest));
  return rest;
}

}  // namespace

std::vector<AlikeTexts> FindAlikeTexts(const std::vector<std::string>& texts) {
  std::vector<AlikeTexts> pairs;
  std::map<Text, std::string> first_with;  // by what is left without the differences
  for (const std::string& text : texts) {
    if (CanonicalNumber(text)) continue;
    const auto [first, is_new] = first_with.emplace(WithoutSpellings(text), text);
    if (is_new || first->second == text) continue;
    const std::string_view difference = DifferenceOf(first->second, text);
    if (!difference.empty()) pairs.push_back({first->second, text, difference});
  }
  return pairs;
}

}  // namespace dl::dataset
