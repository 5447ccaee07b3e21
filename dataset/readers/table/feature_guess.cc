// Guesses the features of a table: GuessFeatures of table_draft.h.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "dataset/readers/table/date_time.h"
#include "dataset/readers/table/table_draft.h"

namespace dl::dataset {
namespace {

void RecordZone(size_t column, TableDraft& draft) {
  const std::string& example = draft.columns()[column].of(FieldKind::kDate).example;
  const auto time = ParseDateTime(example, draft.table.source.date_order);
  if (!time || time->zone.empty()) return;
  const bool has_offset = OffsetOfZone(time->zone).has_value();
  draft.Note(absl::StrCat(draft.Called(column), ": its times have zones, as ", ShownText(example),
                          has_offset ? "; times of different offsets become UTC"
                                     : "; they are read as they are written"));
}

// Returns the unit of numbers that may be times since 1970, such as "milliseconds"; empty if they
// are none. The values of other columns rarely have the same size.
std::string_view UnitSince1970(const ColumnProfile& profile) {
  constexpr double kFirst = 9e8, kLast = 2.3e9, kNear = 0.6;  // seconds, 1998 to 2042
  double unit = 1;
  for (const std::string_view name : {"seconds", "milliseconds", "microseconds", "nanoseconds"}) {
    const double low = profile.min() / unit, high = profile.max() / unit;
    if (low >= kFirst && high <= kLast && low >= kNear * high) return name;
    unit *= 1000;
  }
  return "";
}

// Returns whether the numbers may be days as Excel counts them.
bool MayBeDaysOfExcel(const ColumnProfile& profile) {
  constexpr double kFirstSerial = 20000, kLastSerial = 80000;  // 1954 to 2119
  return profile.min() >= kFirstSerial && profile.max() <= kLastSerial;
}

// Returns InvalidArgument if the column has numbers that are no dates.
Status CheckAreDates(size_t column, TableDraft& draft) {
  const ColumnProfile& profile = draft.columns()[column];
  if (profile.compact_dates() > 0 || profile.of(FieldKind::kNumber).count == 0)
    return absl::OkStatus();
  const std::string& example = profile.of(FieldKind::kNumber).example;
  const std::string unit(UnitSince1970(profile));
  const std::string meaning = !unit.empty() ? absl::StrCat("look like ", unit, " since 1970")
                              : MayBeDaysOfExcel(profile) ? "look like days of Excel"
                                                          : "are no dates";
  return draft.Bad(
      absl::StrCat(draft.Called(column), ": its numbers, as ", ShownText(example), ", ", meaning),
      absl::StrCat("Read them as numbers, without --dates and --date-parts for ",
                   draft.FlagText(column), "; or write them as 2020-01-31 12:30:05"));
}

// Adds a note about a column of numbers that may be times.
void RecordTimes(size_t column, TableDraft& draft) {
  constexpr int64_t kSomeRows = 10;
  const ColumnProfile& profile = draft.columns()[column];
  if (profile.of(FieldKind::kNumber).count < kSomeRows || profile.compact_dates() > 0) return;
  const std::string unit(UnitSince1970(profile));
  const std::string name = absl::AsciiStrToLower(draft.NameAt(column));
  const bool is_named = std::ranges::any_of(
      std::vector<std::string>{"date", "datum", "fecha", "day", "time"},
      [&](const std::string& word) { return name.find(word) != std::string::npos; });
  const bool has_days = is_named && profile.fractions() == 0 && MayBeDaysOfExcel(profile);
  if (unit.empty() && !has_days) return;
  draft.guesses[column].is_doubtful = true;
  draft.Note(absl::StrCat(draft.Called(column), ": its numbers look like ",
                          has_days ? "days as Excel counts them" : unit + " since 1970",
                          "; --drop ", draft.FlagText(column),
                          " leaves it out. To have hours or weekdays, write the times as "
                          "2020-01-31 12:30:05 and give --date-parts ",
                          draft.FlagText(column)),
             true);
}

Status GuessFeature(size_t column, TableDraft& draft) {
  ColumnGuess& guess = draft.guesses[column];
  if (draft.categories.contains(column)) {
    guess.type = ColumnType::kCategories;
    return absl::OkStatus();
  }
  if (draft.dates.contains(column) || draft.date_parts.contains(column)) {
    guess.type = ColumnType::kDates;
    DL_RETURN_IF_ERROR(CheckAreDates(column, draft));
    for (const auto& [text, occurrence] : draft.columns()[column].known_missing())
      guess.missing.push_back(text);
    RecordZone(column, draft);
    return absl::OkStatus();
  }
  DL_ASSIGN_OR_RETURN(guess, GuessColumn(draft.QuestionOf(column), draft.columns()[column]));
  if (draft.keeps.contains(column)) {
    const bool texts = guess.type == ColumnType::kTexts || guess.type == ColumnType::kDates;
    if (texts) guess.type = ColumnType::kCategories;
    guess.is_of_its_own = false;
  }
  if (guess.type == ColumnType::kEmpty) {
    draft.left_out[column] = true;
    draft.Note(absl::StrCat(draft.Called(column), " is left out: it has no values"));
  }
  for (const std::string& note : guess.notes)
    draft.Note(absl::StrCat(draft.Called(column), ": ", note), guess.is_doubtful);
  if (guess.type == ColumnType::kNumbers) RecordTimes(column, draft);
  return absl::OkStatus();
}

// Returns whether the text begins with a number, or has one after a bracket: "-1.5 kg", "[0.5 1]",
// "POINT (13 52)".
bool HasLeadingNumber(const std::string& text) {
  const auto is_number_at = [&](size_t begin) {
    const size_t at = text.find_first_not_of("([{+-. ", begin);
    return at != std::string::npos && at <= begin + 3 &&
           absl::ascii_isdigit(static_cast<unsigned char>(text[at]));
  };
  const size_t bracket = text.find_first_of("([");
  return is_number_at(0) || (bracket != std::string::npos && is_number_at(bracket));
}

std::string ReasonLeftOut(size_t column, TableDraft& draft) {
  ColumnProfile& profile = draft.columns()[column];
  const std::string called = draft.Called(column), flag = draft.FlagText(column);
  if (draft.guesses[column].type == ColumnType::kDates) {
    return absl::StrCat(called, " is left out: it has dates or times, as ",
                        ShownText(profile.of(FieldKind::kDate).example), "; --dates ", flag,
                        " takes the days since 1970, --date-parts ", flag,
                        " year, month, day, weekday, hour and minute");
  }
  const bool numbers = draft.guesses[column].type == ColumnType::kNumbers;
  if (numbers && 10 * profile.Distinct() < 9 * profile.values()) {
    return absl::StrCat(called,
                        " is left out: it has whole numbers and no name, as an index that "
                        "pandas writes; --keep ",
                        flag, " keeps it");
  }
  const std::string& example = profile.first_value();
  std::string why = absl::StrCat("as ", numbers ? "numbers" : "names", " of rows are; ");
  constexpr auto kBlanksOfAText = 3;
  if (!numbers && std::count(example.begin(), example.end(), ' ') >= kBlanksOfAText)
    why = "and texts are not read as features of a table; write numbers for them instead; ";
  if (!numbers && HasLeadingNumber(example)) {
    why = absl::StrCat("as ", ShownText(example),
                       "; where the texts hold numbers, write each number into a column of its "
                       "own; ");
  }
  return absl::StrCat(called, " is left out: ", profile.Distinct(), " of its ", profile.values(),
                      " values are distinct, ", why, numbers ? "--keep " : "--categories ", flag,
                      " keeps it");
}

// Returns whether the text is the name of a file of an image.
bool NamesAnImage(const std::string& text) {
  const std::string lower = absl::AsciiStrToLower(text);
  for (const char* ending : {".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp"}) {
    if (lower.ends_with(ending)) return true;
  }
  return false;
}

}  // namespace

Status GuessFeatures(TableDraft& draft) {
  const size_t count = draft.columns().size();
  size_t features = 0;
  std::vector<size_t> of_their_own;
  for (size_t i = 0; i < count; ++i) {
    if (!draft.IsFeature(i)) continue;
    DL_RETURN_IF_ERROR(GuessFeature(i, draft));
    features += draft.IsFeature(i);
    if (draft.guesses[i].is_of_its_own) of_their_own.push_back(i);
  }
  // Row numbers are better than no feature.
  const bool nothing_else = features == of_their_own.size();
  for (const size_t i : of_their_own) {
    if (nothing_else && draft.guesses[i].type == ColumnType::kNumbers) continue;
    draft.left_out[i] = true;
    draft.guesses[i].is_doubtful = true;
    draft.Note(ReasonLeftOut(i, draft), true);
    --features;
  }
  if (features > 0) return absl::OkStatus();
  for (const size_t i : of_their_own) {
    if (!NamesAnImage(draft.columns()[i].first_value())) continue;
    return draft.Bad(
        absl::StrCat(draft.Called(i), " names images, and no other column is a feature"),
        "Put the images of each class into a folder with the name of the class, and "
        "name the folder that holds these folders");
  }
  for (const size_t i : of_their_own) {
    if (draft.guesses[i].type != ColumnType::kTexts) continue;
    return draft.Bad(
        absl::StrCat("no column is left that could be a feature: texts such as those of ",
                     draft.Called(i), " are not read as features of a table"),
        "Turn the texts into columns of numbers first, for example with TfidfVectorizer of "
        "scikit-learn");
  }
  for (const size_t i : of_their_own) {
    if (draft.guesses[i].type != ColumnType::kDates) continue;
    return draft.Bad(
        absl::StrCat("no column is left that could be a feature: ", draft.Called(i),
                     " has dates or times"),
        absl::StrCat("To predict from the time itself: --date-parts ", draft.FlagText(i),
                     " or --dates ", draft.FlagText(i),
                     ". To predict a time series from its past, describe windows in a .json file "
                     "with the key sequences"));
  }
  return draft.Bad(
      "no column is left that could be a feature: names, numbers of rows, dates, and columns "
      "without values are none",
      "Keep a column with --keep COLUMN, or as categories with --categories COLUMN");
}

}  // namespace dl::dataset
