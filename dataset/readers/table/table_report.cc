#include "dataset/readers/table/table_report.h"

#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "dataset/readers/numbers.h"
#include "dataset/readers/table/missing_texts.h"
#include "dataset/readers/table/table_draft.h"

namespace dl::dataset {
namespace {

std::string TypeText(const TableDraft& draft, size_t column, const ColumnProfile& profile) {
  const bool is_number = draft.table.source.label_type == job::LabelType::kNumber;
  if (draft.label == column) return is_number ? "numbers" : "classes";
  if (draft.weights == column) return "numbers";
  if (profile.values() == 0) return "empty";
  switch (draft.guesses[column].type) {
    case ColumnType::kEmpty:  // no type was guessed
      return CountNumbers(profile, true) == profile.values() ? "numbers" : "texts";
    case ColumnType::kNumbers:
      return "numbers";
    case ColumnType::kCategories:
      return "categories";
    case ColumnType::kTexts:
      return "texts";
    case ColumnType::kDates:
      break;
  }
  return "dates";
}

ColumnReport ReportOf(TableDraft& draft, size_t column) {
  ColumnProfile& profile = draft.columns()[column];
  const ColumnGuess& guess = draft.guesses[column];
  ColumnReport report{.name = draft.NameAt(column),
                      .index = static_cast<int64_t>(column),
                      .type = TypeText(draft, column, profile),
                      .distinct = profile.Distinct(),
                      .distinct_is_exact = profile.DistinctIsExact(),
                      .missing = profile.missing(),
                      .unknown = profile.unknown(),
                      .example = profile.first_value(),
                      .use = "feature",
                      .is_doubtful = guess.is_doubtful};
  const bool numbers = guess.type == ColumnType::kNumbers;
  if (numbers) {
    report.missing += profile.CountKnownMissing();
    report.distinct -= static_cast<int64_t>(profile.known_missing().size());
  }
  if (draft.label == column) {
    report.use = "label";
    report.is_doubtful = draft.label_is_doubtful;
  } else if (draft.weights == column) {
    report.use = "weights";
  } else if (draft.left_out[column]) {
    report.use = "left out";
  } else if (guess.type == ColumnType::kDates) {
    report.use = draft.date_parts.contains(column) ? "6 features" : "feature";
  } else if (!numbers && !draft.goes_by_a_model) {
    const int64_t features = report.distinct + (profile.missing() > 0 ? 1 : 0);
    report.use = absl::StrCat(features, features == 1 ? " feature" : " features");
  } else if (numbers && report.missing > 0 && !draft.goes_by_a_model) {
    report.use = "feature, mean if missing";
  }
  return report;
}

// Counts the classes as the reader forms them: equal numbers are one class, in ascending order.
std::vector<std::pair<std::string, int64_t>> CountClasses(const ColumnProfile& labels) {
  std::map<double, std::pair<std::string, int64_t>> numbers;
  std::vector<std::pair<std::string, int64_t>> classes;
  for (const auto& [text, occurrence] : labels.texts()) {
    classes.emplace_back(text, occurrence.count);
    const auto number = CanonicalNumber(text);
    double value = 0;
    if (!number || !absl::SimpleAtod(*number, &value)) continue;
    auto& [name, count] = numbers[value];
    if (!name.empty() && name != *number) continue;  // distinct numbers that are equal as doubles
    name = *number;
    count += occurrence.count;
  }
  int64_t counted = 0;
  for (const auto& [value, of] : numbers) counted += of.second;
  if (counted != labels.values()) return classes;
  classes.clear();
  for (auto& [value, of] : numbers) classes.push_back(std::move(of));
  return classes;
}

void ReportLabel(TableDraft& draft) {
  ColumnProfile& labels = draft.columns()[*draft.label];
  TableReport& report = draft.table.report;
  const bool are_numbers = draft.table.source.label_type == job::LabelType::kNumber;
  if (are_numbers && labels.of(FieldKind::kNumber).count == 0) {
    report.label = "no numbers";
    return;
  }
  if (are_numbers) {
    report.label =
        absl::StrCat("numbers from ", NumberText(labels.min()), " to ", NumberText(labels.max()));
    return;
  }
  const int64_t classes = labels.Distinct();
  report.label = absl::StrCat(classes, classes == 1 ? " class" : " classes");
  if (labels.HasAllTexts()) report.classes = CountClasses(labels);
}

// Adds notes about words among categories, such as "Na" and "Null", that mean a missing value only
// because the case of letters is not compared. They may be categories.
void RecordWordsForMissing(TableDraft& draft) {
  for (size_t i = 0; i < draft.columns().size(); ++i) {
    if (draft.left_out[i] || draft.goes_by_a_model ||
        draft.guesses[i].type != ColumnType::kCategories)
      continue;
    for (const auto& [text, count] : draft.columns()[i].missing_spellings()) {
      const bool is_word = absl::ascii_isalpha(static_cast<unsigned char>(text.front()));
      if (!is_word || IsKnownMissing(text)) continue;
      draft.guesses[i].is_doubtful = true;
      draft.Note(
          absl::StrCat(draft.Called(i), ": ", ShownText(text), " is taken for a missing value ",
                       count, count == 1 ? " time" : " times",
                       "; where it is a category, write it in another way, or list other "
                       "missing_values in a .json file with the dataset"),
          true);
    }
  }
}

}  // namespace

void ReportTable(TableDraft& draft) {
  TableReport& report = draft.table.report;
  report.rows = draft.survey.rows();
  report.has_header = draft.HasHeader();
  report.separator = SeparatorText(draft.survey.dialect().signs);
  report.has_decimal_commas = draft.table.source.decimal == job::Decimal::kComma;
  RecordWordsForMissing(draft);
  std::set<std::string> spellings;
  for (size_t i = 0; i < draft.columns().size(); ++i) {
    report.columns.push_back(ReportOf(draft, i));
    if (draft.left_out[i]) continue;
    for (const auto& [text, count] : draft.columns()[i].missing_spellings())
      spellings.insert(ShownText(text));
  }
  if (!spellings.empty()) {
    draft.Note(absl::StrCat(absl::StrJoin(spellings, ", "),
                            spellings.size() == 1 ? " means" : " mean",
                            " that a value is missing"));
  }
  if (draft.label) ReportLabel(draft);
}

}  // namespace dl::dataset
