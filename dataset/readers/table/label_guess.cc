#include "dataset/readers/table/label_guess.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/printable.h"
#include "dataset/readers/alike_texts.h"
#include "dataset/readers/numbers.h"

namespace dl::dataset {
namespace {

constexpr int64_t kMostNumericClasses = 20;

Status BadLabel(const ColumnQuestion& question, const RowPlace& place, std::string message,
                std::string remedy) {
  return InvalidArgument(
      {.message = absl::StrCat("row ", place.row, ", ", question.called, ": ", message),
       .where = absl::StrCat(place.path, ":", place.line),
       .remedy = std::move(remedy)});
}

}  // namespace

bool IsUsualLabelName(const std::string& name) {
  const std::string lower = absl::AsciiStrToLower(name);
  for (const char* usual : {"label", "labels", "class", "target", "y"}) {
    if (lower == usual) return true;
  }
  return false;
}

namespace {

bool IsNameOfOutcomes(const std::string& name) {
  const std::string lower = absl::AsciiStrToLower(name);
  for (const char* usual : {"outcome", "survived", "churn", "exited", "default", "diagnosis",
                            "species", "category", "response", "result", "fraud", "is_fraud"}) {
    if (lower == usual) return true;
  }
  return false;
}

// Returns a column of few whole numbers that may be the label instead of the last one, which has
// numbers: the first column of a table without names, as in many tables of UCI and UCR, or a column
// with the name of an outcome.
std::optional<size_t> OtherColumnOfClasses(const std::vector<std::string>& names,
                                           std::vector<ColumnProfile>& columns, size_t label) {
  const auto has_classes = [&](size_t i) {
    ColumnProfile& column = columns[i];
    const int64_t distinct = column.Distinct();
    return i != label && column.of(FieldKind::kNumber).count == column.values() &&
           column.fractions() == 0 && distinct > 1 && distinct <= kMostNumericClasses &&
           column.max() - column.min() <= kMostNumericClasses;
  };
  const ColumnProfile& last = columns[label];
  if (last.fractions() == 0 && columns[label].Distinct() <= kMostNumericClasses)
    return std::nullopt;
  if (names.empty()) return has_classes(0) ? std::optional<size_t>(0) : std::nullopt;
  for (size_t i = 0; i < names.size(); ++i) {
    if (IsNameOfOutcomes(names[i]) && has_classes(i)) return i;
  }
  return std::nullopt;
}

}  // namespace

LabelPlace GuessLabelPlace(const std::vector<std::string>& names,
                           std::vector<ColumnProfile>& columns) {
  LabelPlace place{.column = columns.size() - 1};
  while (place.column > 0 && columns[place.column].values() == 0) --place.column;
  std::optional<size_t> usual;
  int64_t usual_names = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!IsUsualLabelName(names[i])) continue;
    usual = i;
    ++usual_names;
  }
  if (usual_names == 1 && *usual != place.column) {
    place.column = *usual;
    place.is_doubtful = true;
    place.notes.push_back("it is the label by its name; --label COLUMN takes another one");
    return place;
  }
  if (usual_names > 0) return place;
  // A column of few texts is more likely to hold classes than a column of numbers.
  if (CountNumbers(columns[place.column], false) < columns[place.column].values()) return place;
  const ColumnQuestion question{.name = names.empty() ? "" : names[place.column],
                                .has_header = !names.empty(),
                                .index = place.column,
                                .called = "",
                                .flag = ""};
  std::string what = "it is the label as the last column";
  if (NumbersRows(question, columns[place.column])) {
    what += ", and its values look like numbers of rows or ids";
    place.is_doubtful = true;
  }
  what += "; --label COLUMN takes another one";
  for (size_t i = 0; i < columns.size(); ++i) {
    ColumnProfile& column = columns[i];
    const bool few_texts = i != place.column && column.of(FieldKind::kText).count > 0 &&
                           column.DistinctNumbers() == 0 && column.Distinct() > 1 &&
                           column.Distinct() <= kMostNumericClasses;
    if (!few_texts) continue;
    place.is_doubtful = true;
    place.notes.push_back(absl::StrCat(what, ", perhaps ",
                                       names.empty()
                                           ? absl::StrCat("column ", i, " (counted from 0)")
                                           : absl::StrCat("\"", Excerpt(names[i]), "\""),
                                       " with its ", column.Distinct(), " texts"));
    return place;
  }
  if (const auto other = OtherColumnOfClasses(names, columns, place.column)) {
    place.is_doubtful = true;
    absl::StrAppend(&what, ", perhaps ",
                    names.empty() ? absl::StrCat("column ", *other, " (counted from 0)")
                                  : absl::StrCat("\"", Excerpt(names[*other]), "\""),
                    " with its ", columns[*other].Distinct(), " distinct whole numbers");
  }
  if (place.is_doubtful) place.notes.push_back(std::move(what));
  return place;
}

bool AreNumbersToPredict(const NumericLabels& labels) {
  if (labels.distinct > kMostNumericClasses) return true;
  const bool most_once = labels.distinct > 2 && 2 * labels.distinct > labels.values;
  if (labels.fractions > 0) return most_once;
  const bool counts = (labels.min == 0 || labels.min == 1) &&
                      labels.max - labels.min + 1 == static_cast<double>(labels.distinct);
  return most_once && !counts;
}

Status CheckNoneIsMissing(const ColumnQuestion& question, const ColumnProfile& profile) {
  if (profile.missing() == 0) return absl::OkStatus();
  const auto& spellings = profile.missing_spellings();
  const int64_t more = profile.missing() - 1;
  std::string remedy = "Fill it in or remove the row; --label COLUMN names another column";
  if (!spellings.empty()) {
    absl::StrAppend(
        &remedy, "; where \"", Excerpt(spellings.begin()->first),
        "\" is a class, write the class in another way, or list other missing_values in "
        "a .json file with the dataset");
  }
  return BadLabel(
      question, profile.first_missing(),
      absl::StrCat("the label is missing",
                   more == 0   ? ""
                   : more == 1 ? ", as is 1 more"
                               : absl::StrCat(", as are ", more, " more"),
                   spellings.empty() ? ""
                                     : absl::StrCat("; \"", Excerpt(spellings.begin()->first),
                                                    "\" means that a value is missing")),
      remedy);
}

namespace {

// Returns a class that looks like a list of several labels, such as "a,b" where another class is
// "b" or "b,c"; empty if there is none.
std::string ListOfLabels(const std::vector<std::string>& classes) {
  for (const char* sign : {",", ";", "|"}) {
    std::map<std::string, int64_t> classes_with;  // by label
    std::string list;
    for (const std::string& text : classes) {
      const std::vector<std::string> all = absl::StrSplit(text, sign);
      std::set<std::string> labels;
      for (const std::string& label : all)
        labels.insert(std::string(absl::StripAsciiWhitespace(label)));
      if (labels.size() > 1 && !labels.contains("") && list.empty()) list = text;
      for (const std::string& label : labels) ++classes_with[label];
    }
    const auto is_common = [](const auto& entry) { return entry.second > 1; };
    if (!list.empty() && std::ranges::any_of(classes_with, is_common)) return list;
  }
  return "";
}

// Adds sentences about classes that may be spelling mistakes.
void RecordClasses(const ColumnProfile& profile, LabelGuess& guess) {
  if (!profile.HasAllTexts() || profile.values() < 10) return;
  const auto note = [&](std::string text) {
    guess.is_doubtful = true;
    guess.notes.push_back(std::move(text));
  };
  std::vector<std::string> classes;
  int64_t numbers = 0, texts = 0;
  std::string once, number, word;
  for (const auto& [text, occurrence] : profile.texts()) {
    classes.push_back(text);
    const bool is_number = CanonicalNumber(text).has_value();
    ++(is_number ? numbers : texts);
    (is_number ? number : word) = text;
    if (occurrence.count == 1 && once.empty()) once = text;
  }
  // The reader warns of classes that differ only in how they are written (label_warnings.h).
  guess.is_doubtful = guess.is_doubtful || !FindAlikeTexts(classes).empty();
  if (const std::string list = ListOfLabels(classes); !list.empty()) {
    note(absl::StrCat("the class \"", Excerpt(list),
                      "\" looks like a list of labels, and is a class of its own; to predict "
                      "several labels at a time, write a column of 0 and 1 for each"));
  }
  if (numbers > 0 && texts > 0) {
    note(absl::StrCat("some classes are numbers, as \"", Excerpt(number),
                      "\", and some are not, as \"", Excerpt(word), "\""));
  }
  if (!once.empty() && profile.texts().size() > 1)
    note(absl::StrCat("the class \"", Excerpt(once), "\" has one example"));
}

}  // namespace

LabelGuess GuessNumericLabels(const NumericLabels& labels) {
  LabelGuess guess;
  if (AreNumbersToPredict(labels)) {
    guess.type = job::LabelType::kNumber;
    if (labels.fractions > 0) return guess;
    guess.is_doubtful = true;
    guess.notes.push_back(absl::StrCat("its ", labels.distinct,
                                       " distinct whole numbers are numbers to predict; "
                                       "--classes takes them as classes"));
    return guess;
  }
  if (labels.fractions > 0) {
    guess.is_doubtful = true;
    guess.notes.push_back(absl::StrCat("its ", labels.distinct,
                                       " distinct numbers, some with fractions, are classes; "
                                       "--regression takes them as numbers to predict"));
  }
  const bool are_consecutive = labels.max - labels.min + 1 == static_cast<double>(labels.distinct);
  constexpr int64_t kMany = 10;
  const bool count = are_consecutive && (labels.min == 0 || labels.min == 1);
  if (labels.fractions == 0 && labels.distinct > kMany && !count) {
    guess.notes.push_back(absl::StrCat("its ", labels.distinct,
                                       " distinct whole numbers are classes; --regression takes "
                                       "them as numbers to predict"));
  }
  if (labels.min == -1 && labels.distinct > 2 &&
      labels.max == static_cast<double>(labels.distinct - 2)) {
    guess.is_doubtful = true;
    guess.notes.push_back(
        "-1 is a class as the others are; where it means that an example has no label, remove its "
        "rows");
  }
  return guess;
}

StatusOr<LabelGuess> GuessLabels(const ColumnQuestion& question, ColumnProfile& profile) {
  DL_RETURN_IF_ERROR(CheckNoneIsMissing(question, profile));
  DL_ASSIGN_OR_RETURN(const ColumnGuess column, GuessColumn(question, profile));
  LabelGuess guess;
  switch (column.type) {
    case ColumnType::kNumbers: {
      if (!column.missing.empty()) {
        const auto& [text, occurrence] = *profile.known_missing().begin();
        return BadLabel(question, occurrence.first,
                        absl::StrCat("the label is \"", Excerpt(text),
                                     "\" among numbers, and so it is missing"),
                        "Fill it in or remove the row; --label COLUMN names another column");
      }
      const NumericLabels labels{.values = profile.values(),
                                 .distinct = profile.Distinct(),
                                 .fractions = profile.fractions(),
                                 .min = profile.min(),
                                 .max = profile.max()};
      const LabelGuess numeric = GuessNumericLabels(labels);
      guess.type = numeric.type;
      if (numeric.type == job::LabelType::kClass) {
        RecordClasses(profile, guess);
      } else {
        guess.notes = column.notes;
        guess.is_doubtful = column.is_doubtful;
      }
      guess.notes.insert(guess.notes.end(), numeric.notes.begin(), numeric.notes.end());
      guess.is_doubtful = guess.is_doubtful || numeric.is_doubtful;
      return guess;
    }
    case ColumnType::kTexts:
    case ColumnType::kDates:
      return InvalidArgument(
          {.message =
               absl::StrCat("the label, ", question.called, ", has ",
                            column.type == ColumnType::kDates
                                ? "dates, which are not classes"
                                : absl::StrCat(profile.Distinct(), " distinct texts in ",
                                               profile.values(), " rows, which are not classes")),
           .where = profile.texts().begin()->second.first.path,
           .remedy = "Name the column of the label: --label COLUMN"});
    case ColumnType::kEmpty:
      return InvalidArgument({.message = absl::StrCat("the label, ", question.called, ", is empty"),
                              .where = profile.known_missing().empty()
                                           ? profile.first_missing().path
                                           : profile.known_missing().begin()->second.first.path,
                              .remedy = "Name the column of the label: --label COLUMN"});
    case ColumnType::kCategories:
      break;
  }
  RecordClasses(profile, guess);
  if (profile.Distinct() == 1) {
    guess.is_doubtful = true;
    guess.notes.push_back("all labels are one class; --label COLUMN takes another column");
  }
  return guess;
}

}  // namespace dl::dataset
