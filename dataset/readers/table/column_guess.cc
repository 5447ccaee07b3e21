#include "dataset/readers/table/column_guess.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "base/shell_word.h"
#include "dataset/readers/alike_texts.h"
#include "dataset/readers/plain_number.h"
#include "dataset/readers/table/csv_mistakes.h"
#include "dataset/readers/table/total_word.h"

namespace dl::dataset {
namespace {

// A column of more distinct numbers is not one of categories.
constexpr int64_t kMostNumberCategories = 20;
constexpr int64_t kFewRows = 5;  // in fewer rows, all values may differ by chance
constexpr int64_t kSomeRows = 20;
constexpr int64_t kFirstRows = 5;  // may belong to a title or to units

std::string InQuotes(const std::string& text) { return absl::StrCat("\"", Excerpt(text), "\""); }

bool IsNearlyAll(int64_t count, int64_t of) { return count > 0 && 10 * count >= 9 * of; }

bool IsOneOfItsOwn(int64_t distinct, int64_t values) {
  return (values >= kFewRows && distinct == values) ||
         (values >= kSomeRows && 10 * distinct >= 9 * values);
}

bool NamesAnId(const std::string& name) {
  const std::string lower = absl::AsciiStrToLower(name);
  for (const char* word : {"id", "index", "idx", "row", "rownames", "rowid", "row_id", "uuid",
                           "guid", "nr", "no", "no.", "key"}) {
    if (lower == word) return true;
  }
  return lower.starts_with("unnamed: ") || lower.ends_with("_id") || lower.ends_with(" id") ||
         lower.ends_with("-id") || lower.starts_with("id_") ||
         (name.size() > 2 && (name.ends_with("Id") || name.ends_with("ID")));
}

// Returns whether the name is that of a code: a number that identifies a place or person.
bool NamesACode(const std::string& name) {
  const std::string lower = absl::AsciiStrToLower(name);
  for (const char* word : {"zip", "zipcode", "zip_code", "zip code", "postcode", "postal_code",
                           "postal code", "plz", "phone", "phone_number", "telephone", "fips"}) {
    if (lower == word) return true;
  }
  return false;
}

Status BadValues(const ColumnQuestion& question, const RowPlace& place, std::string message,
                 std::string remedy) {
  return InvalidArgument(
      {.message = absl::StrCat("row ", place.row, ", ", question.called, ": ", message),
       .where = absl::StrCat(place.path, ":", place.line),
       .remedy = std::move(remedy)});
}

std::string OrOtherwise(const ColumnQuestion& question) {
  if (question.goes_by_a_model) return "the model was trained on numbers in this column";
  if (question.is_label)
    return "--classes takes all values as classes, --label COLUMN names another column";
  return absl::StrCat("--categories ", question.flag, " takes all values as categories, --drop ",
                      question.flag, " leaves the column out");
}

// The first value that is not a number, and the number of such values.
struct Odd {
  std::string text;
  ColumnProfile::OfKind first;
  int64_t count = 0;
};
Odd OddValues(const ColumnProfile& profile, bool decimal_comma) {
  Odd odd;
  for (const FieldKind kind :
       {FieldKind::kCommaNumber, FieldKind::kDecorated, FieldKind::kDate, FieldKind::kText}) {
    if (kind == FieldKind::kCommaNumber && decimal_comma) continue;
    const ColumnProfile::OfKind& values = profile.of(kind);
    odd.count += values.count;
    if (values.count == 0) continue;
    const bool earlier = odd.text.empty() || values.first.row < odd.first.first.row;
    if (!earlier) continue;
    odd.text = values.example;
    odd.first = values;
  }
  return odd;
}

Status OddAmongNumbers(const ColumnQuestion& question, const ColumnProfile& profile,
                       const Odd& odd) {
  const std::string many =
      absl::StrCat(odd.count == 1 ? "the only one" : absl::StrCat("one of ", odd.count), ", and ",
                   CountNumbers(profile, question.decimal_comma), " of the column's ",
                   profile.values(), " values are numbers");
  if (odd.text == question.name && odd.first.first.row > 1) {
    return BadValues(question, odd.first.first,
                     absl::StrCat(InQuotes(odd.text), ": the row repeats the header"),
                     "Remove the row; files that were put together have one header each");
  }
  const NumberMistake mistake = ExplainNumber(odd.text);
  if (mistake.remedy != kEncodeCategories) {
    return BadValues(question, odd.first.first, absl::StrCat(mistake.message, ", ", many),
                     absl::StrCat(mistake.remedy, "; ", OrOtherwise(question)));
  }
  return BadValues(
      question, odd.first.first, absl::StrCat(InQuotes(odd.text), " is not a number, ", many),
      absl::StrCat("Where it means that the value is missing: --missing ",
                   ShellWord(Excerpt(odd.text)), "; ",
                   odd.first.first.row == 1 ? "where the row has the names: --header yes; "
                   : odd.first.first.row <= kFirstRows
                       ? "where the row holds units or names, remove it; "
                   : IsTotalWord(odd.text) ? "where the row sums up others, remove it; "
                   : odd.first.first.row >= profile.rows()
                       ? "where the row is a note below the table, remove it; "
                       : "",
                   OrOtherwise(question)));
}

// Returns whether the text ends with a unit. A unit after few distinct numbers may name categories,
// such as "2 doors".
bool IsUnit(const std::string& text) {
  return !text.empty() && absl::ascii_isalpha(static_cast<unsigned char>(text.back())) &&
         !text.ends_with("USD") && !text.ends_with("EUR") && !text.starts_with("0x");
}

// Returns the error for a column whose numbers contain characters that are not parsed.
Status Decorated(const ColumnQuestion& question, const ColumnProfile& profile) {
  const bool commas = !question.decimal_comma && profile.of(FieldKind::kCommaNumber).count > 0;
  const ColumnProfile::OfKind& values =
      profile.of(commas ? FieldKind::kCommaNumber : FieldKind::kDecorated);
  const NumberMistake mistake = ExplainNumber(values.example);
  const bool both = commas && HasThousands(values.example);
  const int64_t plain = profile.of(FieldKind::kNumber).count;
  // "5 %" is 0.05 beside "0.05".
  const std::string of_others =
      commas || plain == 0 || !(values.example.ends_with("%") || IsUnit(values.example))
          ? ""
          : absl::StrCat(", and ", plain, " of the column's ", profile.values(),
                         plain == 1 ? " values is a plain number" : " values are plain numbers");
  return BadValues(
      question, values.first, mistake.message + of_others,
      absl::StrCat(mistake.remedy,
                   of_others.empty() ? "; " : ", converted to the unit of the others; ",
                   both ? "where the commas are decimal ones: --decimal comma; " : "",
                   OrOtherwise(question)));
}

// Returns whether a name stands before the number, as in "temp=18". Before few distinct numbers,
// all may be categories.
bool HasName(const std::string& text) {
  return !text.empty() && absl::ascii_isalpha(static_cast<unsigned char>(text.front())) &&
         text.find_first_of("=:") != std::string::npos;
}

// Adds notes about whole numbers that may be something else: codes, ids, dates.
void RecordCodes(const ColumnQuestion& question, const ColumnProfile& profile, ColumnGuess& guess) {
  const auto note = [&](std::string text) {
    guess.is_doubtful = true;
    guess.notes.push_back(std::move(text));
  };
  if (profile.leading_zeros() > 0) {
    note(absl::StrCat("it has numbers with zeros in front, as ",
                      InQuotes(profile.first_with_zero()), "; where they are codes, --categories ",
                      question.flag, " takes them as categories"));
  }
  const bool is_named = profile.leading_zeros() == 0 && NamesACode(question.name);
  if (is_named || profile.long_with_plus() > 0) {
    note(absl::StrCat(is_named ? "its name is that of a code" : "its numbers begin with +",
                      "; --categories ", question.flag, " takes it as categories, --drop ",
                      question.flag, " leaves it out"));
  }
  if (profile.compact_dates() > 1 &&
      profile.compact_dates() == profile.of(FieldKind::kNumber).count) {
    note(absl::StrCat("its numbers look like dates; --dates ", question.flag,
                      " takes the days since 1970, --date-parts ", question.flag,
                      " year, month, day, weekday, hour and minute"));
  }
  if (profile.max() >= kExactWholeNumbers || profile.min() <= -kExactWholeNumbers) {
    note(
        absl::StrCat("it has numbers beyond 2^53, of which neighbours become equal; where they "
                     "are ids, --drop ",
                     question.flag, " leaves it out, --categories ", question.flag,
                     " takes them as categories"));
  }
}

// Returns two texts such as "3.1" and "3.10", which are equal as numbers, if the column has few
// distinct numbers and none of them ends with more than one 0; empty texts otherwise.
std::pair<std::string, std::string> EqualNumbers(const ColumnProfile& profile) {
  constexpr size_t kMostVersions = 50;
  const auto& texts = profile.texts();
  if (!profile.HasAllTexts() || profile.fractions() == 0 || texts.size() > kMostVersions) return {};
  std::pair<std::string, std::string> found;
  for (const auto& [text, occurrence] : texts) {
    const size_t point = text.find('.');
    if (point == std::string::npos) continue;
    if (text.ends_with("00") && text.size() > point + 3) return {};
    const std::string shorter = text.substr(0, text.size() - 1);
    const bool is_tenth = text.ends_with("0") && text.size() > point + 2 && point > 0 &&
                          text[0] != '0' && texts.contains(shorter);
    if (is_tenth && found.first.empty()) found = {shorter, text};
  }
  return found;
}

// Returns the guess for a column of numbers. The texts in `missing` mean a missing value.
ColumnGuess Numbers(const ColumnQuestion& question, ColumnProfile& profile,
                    std::vector<std::string> missing, int64_t numbers) {
  ColumnGuess guess{.type = ColumnType::kNumbers, .missing = std::move(missing)};
  if (!guess.missing.empty()) {
    std::vector<std::string> shown;
    for (const std::string& text : guess.missing) shown.push_back(InQuotes(text));
    guess.notes.push_back(absl::StrCat(absl::StrJoin(shown, " and "),
                                       shown.size() == 1 ? " is" : " are",
                                       " taken for a missing value"));
  }
  if (profile.MayHavePointsOfThousands()) {
    guess.is_doubtful = true;
    guess.notes.push_back(absl::StrCat(
        "each of its points has three digits after it, as ", InQuotes(profile.first_grouped()),
        ", and all numbers without a point are below 1000; where the points separate thousands, "
        "remove them"));
  }
  if (const auto [one, other] = EqualNumbers(profile); !one.empty() && question.may_be_of_its_own) {
    guess.is_doubtful = true;
    guess.notes.push_back(absl::StrCat(InQuotes(one), " and ", InQuotes(other),
                                       " are one number; where they are versions or codes, "
                                       "--categories ",
                                       question.flag, " takes them as categories"));
  }
  const bool whole = profile.fractions() == 0;
  guess.is_of_its_own = question.may_be_of_its_own && NumbersRows(question, profile);
  if (question.may_be_of_its_own && !guess.is_of_its_own && whole)
    RecordCodes(question, profile, guess);
  const bool may_be_ids = question.may_be_of_its_own && !guess.is_of_its_own && whole &&
                          !question.has_header && numbers >= kSomeRows &&
                          10 * profile.DistinctNumbers() >= 9 * numbers;
  if (may_be_ids && !guess.is_doubtful) {
    guess.is_doubtful = true;
    guess.notes.push_back(
        absl::StrCat("nearly all of its whole numbers are distinct; where they "
                     "are numbers of rows or ids, --drop ",
                     question.flag, " leaves it out"));
  }
  const double low = profile.min();
  if (low == -99 || low == -999 || low == -9999 || low == -99999) {
    guess.is_doubtful = true;
    guess.notes.push_back(absl::StrCat("its smallest value is ", low,
                                       "; where that means a missing one: --missing=", low));
  }
  const double high = profile.max();
  const bool is_sentinel = (high == 999 || high == 9999 || high == 99999 || high == 999999) &&
                           profile.count_of_max() > 1 && 10 * profile.second_max() < high;
  if (is_sentinel) {
    guess.is_doubtful = true;
    guess.notes.push_back(absl::StrCat("its largest value, ", high, ", occurs ",
                                       profile.count_of_max(),
                                       " times and is far from the others; where that means a "
                                       "missing one: --missing ",
                                       high));
  }
  return guess;
}

// Returns whether some texts differ only in how they are written. The reader warns of them
// (label_warnings.h).
bool HasAlikeTexts(const ColumnProfile& profile) {
  if (!profile.HasAllTexts()) return false;
  std::vector<std::string> texts;
  for (const auto& [text, occurrence] : profile.texts()) texts.push_back(text);
  return !FindAlikeTexts(texts).empty();
}

std::string OddAmongDates(const ColumnProfile& profile) {
  for (const FieldKind kind : {FieldKind::kText, FieldKind::kDecorated, FieldKind::kNumber}) {
    if (profile.of(kind).count > 0) return profile.of(kind).example;
  }
  return profile.of(FieldKind::kCommaNumber).example;
}

ColumnGuess Texts(const ColumnQuestion& question, ColumnProfile& profile, int64_t numbers) {
  ColumnGuess guess{.type = ColumnType::kCategories};
  const int64_t distinct = profile.Distinct(), values = profile.values();
  if (IsOneOfItsOwn(distinct, values)) {
    guess.type = ColumnType::kTexts;
    guess.is_of_its_own = true;
    return guess;
  }
  guess.is_doubtful = !question.is_label && HasAlikeTexts(profile);
  const ColumnProfile::OfKind& decorated = profile.of(FieldKind::kDecorated);
  if (2 * decorated.count > values && HasName(decorated.example)) {
    guess.is_doubtful = true;
    guess.notes.push_back(absl::StrCat("its values are numbers after a name, as ",
                                       InQuotes(decorated.example),
                                       ", and are taken as categories; to have numbers, write them "
                                       "alone: ",
                                       ExplainNumber(decorated.example).remedy));
  }
  if (const int64_t dates = profile.of(FieldKind::kDate).count; 2 * dates > values) {
    guess.is_doubtful = true;
    guess.notes.push_back(absl::StrCat(dates, " of its ", values,
                                       " values are dates or times, and ",
                                       InQuotes(OddAmongDates(profile)),
                                       " is not: all are taken as categories; correct the "
                                       "others, or --drop ",
                                       question.flag, " leaves it out"));
  } else if (numbers > 0) {
    guess.is_doubtful = true;
    guess.notes.push_back(absl::StrCat(
        numbers, " of its ", values, " values are numbers, and ",
        InQuotes(OddValues(profile, question.decimal_comma).text),
        " is not: all are taken as categories; --missing TEXT names a text that stands "
        "for a missing number"));
  } else if (values >= kSomeRows && 2 * distinct > values) {
    guess.is_doubtful = true;
    guess.notes.push_back(absl::StrCat("more than half of its ", values,
                                       " values are distinct; --drop ", question.flag,
                                       " leaves it out"));
  }
  return guess;
}

}  // namespace

int64_t CountNumbers(const ColumnProfile& profile, bool decimal_comma) {
  return profile.of(FieldKind::kNumber).count +
         (decimal_comma ? profile.of(FieldKind::kCommaNumber).count : 0);
}

bool NumbersRows(const ColumnQuestion& question, ColumnProfile& profile) {
  const int64_t numbers = profile.of(FieldKind::kNumber).count;
  const bool all_whole = profile.fractions() == 0 && numbers > 1 &&
                         numbers == profile.values() - profile.CountKnownMissing();
  if (!all_whole) return false;
  const bool counts = profile.CountsRows() && (profile.min() == 0 || profile.min() == 1);
  const bool is_index = question.has_header && question.index == 0 && question.name.empty();
  if (is_index) return counts || numbers >= kSomeRows;
  if (10 * profile.DistinctNumbers() < 9 * numbers) return false;
  return NamesAnId(question.name) || (counts && numbers >= kSomeRows);
}

StatusOr<bool> GuessDecimalComma(std::vector<ColumnProfile>& columns) {
  const ColumnProfile *commas = nullptr, *points = nullptr;
  for (const ColumnProfile& column : columns) {
    const int64_t with_comma = column.of(FieldKind::kCommaNumber).count;
    const int64_t numbers = CountNumbers(column, true);
    if (!IsNearlyAll(numbers, column.values() - column.CountKnownMissing())) continue;
    if (column.CommasWithoutThousands() > 0 && commas == nullptr) commas = &column;
    if (with_comma == 0 && column.fractions() > 0 && points == nullptr) points = &column;
  }
  if (commas == nullptr) return false;
  if (points == nullptr) return true;
  const ColumnProfile::OfKind& comma = commas->of(FieldKind::kCommaNumber);
  return InvalidArgument(
      {.message =
           absl::StrCat("row ", comma.first.row, ": ", InQuotes(comma.example),
                        " has a decimal comma, but other columns have decimal points, such as ",
                        InQuotes(points->of(FieldKind::kNumber).example)),
       .where = absl::StrCat(comma.first.path, ":", comma.first.line),
       .remedy = "Write all numbers in one way; --decimal comma reads only numbers with commas"});
}

StatusOr<ColumnGuess> GuessColumn(const ColumnQuestion& question, ColumnProfile& profile) {
  std::vector<std::string> missing;
  for (const auto& [text, occurrence] : profile.known_missing()) missing.push_back(text);
  const int64_t given = profile.values() - profile.CountKnownMissing();
  const int64_t numbers = CountNumbers(profile, question.decimal_comma);
  if (given == 0) return ColumnGuess{};
  if (numbers == given) return Numbers(question, profile, std::move(missing), numbers);
  const int64_t distinct = profile.DistinctNumbers();
  const bool many_numbers =
      distinct > kMostNumberCategories || (2 * distinct > numbers && numbers > 1);
  if (IsNearlyAll(profile.of(FieldKind::kDate).count, given))
    return ColumnGuess{.type = ColumnType::kDates, .is_of_its_own = true};
  const int64_t signs = profile.of(FieldKind::kDecorated).count +
                        (question.decimal_comma ? 0 : profile.of(FieldKind::kCommaNumber).count);
  const std::string& decorated = profile.of(FieldKind::kDecorated).example;
  const bool units = (IsUnit(decorated) || HasName(decorated)) &&
                     profile.Distinct() <= kMostNumberCategories &&
                     profile.of(FieldKind::kCommaNumber).count == 0;
  if (signs > 0 && 2 * signs > given - numbers && IsNearlyAll(signs + numbers, given) && !units)
    return Decorated(question, profile);
  if (IsNearlyAll(numbers, given) || (2 * numbers >= given && many_numbers) ||
      distinct > kMostNumberCategories) {
    return OddAmongNumbers(question, profile, OddValues(profile, question.decimal_comma));
  }
  return Texts(question, profile, numbers);
}

}  // namespace dl::dataset
