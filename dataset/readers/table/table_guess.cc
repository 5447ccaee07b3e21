#include "dataset/readers/table/table_guess.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/utf8.h"
#include "dataset/readers/label_texts.h"
#include "dataset/readers/numbers.h"
#include "dataset/readers/table/column_guess.h"
#include "dataset/readers/table/header_guess.h"
#include "dataset/readers/table/label_guess.h"
#include "dataset/readers/table/table_columns.h"
#include "dataset/readers/table/table_doubts.h"
#include "dataset/readers/table/table_draft.h"
#include "dataset/readers/table/table_survey.h"

namespace dl::dataset {
namespace {

Status GuessHeaderRow(const TableGuessOptions& options, TableDraft& draft) {
  TableSurvey& survey = draft.survey;
  // A few rows that repeat a header do not indicate that it is a row of values.
  std::vector<int64_t> same_as_first = survey.same_as_first();
  constexpr int64_t kRowsOfARepeat = 10;
  if (kRowsOfARepeat * survey.repeats_of_first() <= survey.rows()) {
    for (int64_t& count : same_as_first) count -= survey.repeats_of_first();
  }
  HeaderGuess guess =
      GuessHeader(survey.first_row(), same_as_first, survey.missing_texts(), draft.columns());
  if (options.known != nullptr) {
    const bool has_names = !ColumnNamesOf(*options.known).empty();
    if (has_names && FitHeader(*options.known, survey.first_row()).missing.empty())
      guess = {.has_header = true};
  }
  if (survey.files() > 1 && survey.AllFilesBeginAlike()) guess = {.has_header = true};
  if (options.hints.has_header) guess = {.has_header = *options.hints.has_header};
  draft.table.source.header = guess.has_header;
  DL_RETURN_IF_ERROR(CheckHeaderIsNotRepeated(draft));
  for (size_t i = 0; guess.has_header && i < survey.first_row().size(); ++i) {
    if (IsUtf8(survey.first_row()[i])) continue;
    return draft.Bad(absl::StrCat("row 1, column ", i + 1, ": the column's name is not UTF-8"),
                     "Save the file as UTF-8");
  }
  if (guess.is_doubtful) {
    draft.Note(guess.has_header
                   ? "the first row is taken for names; --header no takes it for values"
                   : "the first row is taken for values, and columns have no names; --header yes "
                     "takes it for names",
               true);
  }
  if (survey.dialect().comment_lines > 0) {
    const bool has_names = survey.dialect().comment_looks_like_header && !guess.has_header;
    const int64_t lines = survey.dialect().comment_lines;
    draft.Note(
        absl::StrCat(lines, lines == 1 ? " line that begins" : " lines that begin", " with ",
                     *draft.table.source.comment,
                     lines == 1 ? " is left out as a comment" : " are left out as comments",
                     has_names ? ", though one looks like a header: remove the sign there to "
                                 "have names"
                               : ""),
        true);
  }
  if (!guess.has_header) survey.AddFirstRows();
  if (survey.rows() > 0) return absl::OkStatus();
  return draft.Bad("no row follows the header", "Add a row for each example, or give --header no");
}

Status TakeHints(const TableHints& hints, TableDraft& draft) {
  for (const std::string& text : hints.missing) draft.table.source.missing_values.push_back(text);
  DL_RETURN_IF_ERROR(draft.FindAll("--drop", hints.drop, draft.drops));
  DL_RETURN_IF_ERROR(draft.FindAll("--keep", hints.keep, draft.keeps));
  DL_RETURN_IF_ERROR(draft.FindAll("--categories", hints.categories, draft.categories));
  DL_RETURN_IF_ERROR(draft.FindAll("--dates", hints.dates, draft.dates));
  DL_RETURN_IF_ERROR(draft.FindAll("--date-parts", hints.date_parts, draft.date_parts));
  for (const size_t column : draft.drops) {
    if (draft.keeps.contains(column) || draft.categories.contains(column) ||
        draft.dates.contains(column) || draft.date_parts.contains(column)) {
      return draft.Bad(absl::StrCat(draft.Called(column), " is to be left out and to be kept"),
                       "Name it in one flag alone");
    }
    draft.left_out[column] = true;
  }
  return absl::OkStatus();
}

// Sets the order of day and month as the dates of the columns show, unless a flag states it.
Status GuessDateOrder(const TableHints& hints, TableDraft& draft) {
  std::set<size_t> columns = draft.dates;
  columns.insert(draft.date_parts.begin(), draft.date_parts.end());
  if (hints.date_order && columns.empty()) {
    return draft.Bad("--date-order is given, and no column becomes dates",
                     "Name the columns with --dates or --date-parts, or leave --date-order out");
  }
  job::DateOrder& order = draft.table.source.date_order;
  if (hints.date_order) {
    order = *hints.date_order;
    return absl::OkStatus();
  }
  std::string day, month, either, in;
  for (const size_t column : columns) {
    const DateOrders& seen = draft.columns()[column].date_orders();
    if (day.empty()) day = seen.day_first_example;
    if (month.empty()) month = seen.month_first_example;
    if (either.empty()) either = seen.either_example;
    if (in.empty() && seen.day_first + seen.month_first + seen.either > 0)
      in = draft.Called(column);
  }
  const char* flags = "--date-order day-first or --date-order month-first";
  if (!day.empty() && !month.empty()) {
    return draft.Bad(absl::StrCat(in, ": the day comes first in ", ShownText(day),
                                  ", and the month in ", ShownText(month)),
                     "Write all dates in one way, as 2020-01-31");
  }
  if (day.empty() && month.empty()) {
    if (either.empty()) return absl::OkStatus();
    return draft.Bad(absl::StrCat(in, ": whether the day or the month comes first in ",
                                  ShownText(either), " is not sure"),
                     absl::StrCat("Say it: ", flags));
  }
  order = day.empty() ? job::DateOrder::kMonthFirst : job::DateOrder::kDayFirst;
  draft.Note(absl::StrCat("dates are read with the ", day.empty() ? "month" : "day", " first, as ",
                          ShownText(day.empty() ? month : day), " shows"));
  return absl::OkStatus();
}

Status GuessDecimal(const TableHints& hints, TableDraft& draft) {
  if (hints.decimal) {
    draft.table.source.decimal = *hints.decimal;
    return absl::OkStatus();
  }
  DL_ASSIGN_OR_RETURN(const bool commas, GuessDecimalComma(draft.columns()));
  if (!commas) return absl::OkStatus();
  draft.table.source.decimal = job::Decimal::kComma;
  // Between commas, quoted fields such as "8,3" may be pairs.
  const bool may_be_pairs = draft.table.source.separator == ",";
  draft.Note(
      absl::StrCat("numbers are read with a decimal comma; --decimal point refuses them",
                   may_be_pairs ? "; where they are pairs, --categories COLUMN takes them as "
                                  "categories, --drop COLUMN leaves them out"
                                : ""),
      may_be_pairs);
  return absl::OkStatus();
}

StatusOr<LabelPlace> FindLabel(const TableHints& hints, TableDraft& draft) {
  if (!hints.label.empty()) {
    DL_ASSIGN_OR_RETURN(const size_t column, draft.Find("--label", hints.label));
    return LabelPlace{.column = column, .notes = {}};
  }
  if (draft.columns().size() < 2) {
    return draft.Bad("there is one column, a label and at least one feature are needed",
                     "Say what separates the fields: --separator SIGN");
  }
  LabelPlace place = GuessLabelPlace(
      draft.HasHeader() ? draft.survey.first_row() : std::vector<std::string>(), draft.columns());
  while ((draft.drops.contains(place.column) || draft.weights == place.column) && place.column > 0)
    place = {.column = place.column - 1, .notes = {}};
  return place;
}

Status PlaceWeights(const TableHints& hints, TableDraft& draft) {
  if (hints.weights.empty()) return absl::OkStatus();
  DL_ASSIGN_OR_RETURN(const size_t column, draft.Find("--example-weights", hints.weights));
  return draft.SetWeights(column);
}

Status PlaceLabel(const TableHints& hints, TableDraft& draft) {
  DL_ASSIGN_OR_RETURN(const LabelPlace place, FindLabel(hints, draft));
  if (draft.drops.contains(place.column)) {
    return draft.Bad(absl::StrCat("--drop names the label, ", draft.Called(place.column)),
                     "Name another label: --label COLUMN");
  }
  if (draft.weights == place.column) {
    return draft.Bad(
        absl::StrCat(draft.Called(place.column), " is the label, and --example-weights names it"),
        "Name another label: --label COLUMN");
  }
  draft.SetLabel(place.column);
  draft.label_is_doubtful = place.is_doubtful;
  for (const std::string& note : place.notes)
    draft.Note(absl::StrCat(draft.Called(place.column), ": ", note), place.is_doubtful);
  return absl::OkStatus();
}

Status GuessLabelType(const TableHints& hints, TableDraft& draft) {
  const size_t column = *draft.label;
  const ColumnQuestion question = draft.QuestionOf(column);
  ColumnProfile& profile = draft.columns()[column];
  DL_RETURN_IF_ERROR(CheckNoRowIsEmpty(draft));
  LabelGuess guess;
  const bool classes = hints.labels_are_classes || draft.categories.contains(column);
  if (hints.labels_are_numbers || classes) {
    DL_RETURN_IF_ERROR(CheckNoneIsMissing(question, profile));
    guess.type = classes ? job::LabelType::kClass : job::LabelType::kNumber;
  } else {
    DL_ASSIGN_OR_RETURN(guess, GuessLabels(question, profile));
  }
  draft.table.source.label_type = guess.type;
  draft.label_is_doubtful = draft.label_is_doubtful || guess.is_doubtful;
  for (const std::string& note : guess.notes)
    draft.Note(absl::StrCat(draft.Called(column), ": ", note), guess.is_doubtful);
  return absl::OkStatus();
}

// Writes the guesses into the source for the reader.
void DescribeColumns(TableDraft& draft) {
  job::CsvSource& source = draft.table.source;
  std::vector<std::string> added;
  for (const ColumnGuess& guess : draft.guesses) {
    for (const std::string& text : guess.missing) {
      if (MissingTexts(source.missing_values).Has(text)) continue;
      source.missing_values.push_back(text);
      added.push_back(text);
    }
  }
  const MissingTexts new_texts(added);
  for (size_t i = 0; i < draft.columns().size(); ++i) {
    if (draft.left_out[i]) source.exclude_columns.all.push_back(draft.PlaceOf(i));
    if (!draft.IsFeature(i)) continue;
    const ColumnProfile& profile = draft.columns()[i];
    bool some_missing = profile.missing() > 0;
    for (const auto& [text, occurrence] : profile.known_missing())
      some_missing = some_missing || (!added.empty() && new_texts.Has(text));
    const bool categories = draft.guesses[i].type == ColumnType::kCategories;
    if (draft.goes_by_a_model) {
      (categories ? draft.table.lacks_categories : draft.table.lacks_numbers) |= some_missing;
      continue;
    }
    if (categories) source.categorical_columns.all.push_back(draft.PlaceOf(i));
    if (draft.dates.contains(i)) source.date_columns.all.push_back(draft.PlaceOf(i));
    if (draft.date_parts.contains(i)) source.date_part_columns.all.push_back(draft.PlaceOf(i));
    if (some_missing && categories) source.missing_category = job::MissingCategory::kOwnClass;
    if (some_missing && !categories) source.missing_number = job::MissingNumber::kMean;
  }
}

StatusOr<TableSurvey> Survey(const std::string& path, const TableGuessOptions& options) {
  SurveyOptions survey{.dialect = {.separator = options.hints.separator},
                       .missing_values = job::CsvSource().missing_values,
                       .known = options.known,
                       .memory_bytes = options.memory_bytes,
                       .threads = options.threads};
  for (const std::string& text : options.hints.missing) survey.missing_values.push_back(text);
  StatusOr<TableSurvey> read = TableSurvey::Read(path, survey);
  // A single column has no separator.
  if (read.ok() || options.known == nullptr || !survey.dialect.separator.empty()) return read;
  survey.dialect.separator = std::string(1, ',');
  StatusOr<TableSurvey> column = TableSurvey::Read(path, survey);
  const int64_t features = ColumnCountOf(*options.known);
  if (features == 1) return column;
  if (!column.ok() || column->columns().size() != 1) return read;
  const std::vector<std::string> names = ColumnNamesOf(*options.known);
  return InvalidArgument(
      {.message = absl::StrCat("it has one column, with ", ShownText(column->first_row().front()),
                               " in the first row, and the training set has ", features,
                               " of features", names.empty() ? "" : ": ", FirstOf(names)),
       .where = path,
       .remedy = "Give all columns; where an unusual sign separates them, --separator SIGN"});
}

}  // namespace

StatusOr<GuessedTable> GuessTable(const std::string& path, const TableGuessOptions& options) {
  DL_ASSIGN_OR_RETURN(TableSurvey survey, Survey(path, options));
  TableDraft draft(path, std::move(survey));
  DL_RETURN_IF_ERROR(GuessHeaderRow(options, draft));
  DL_RETURN_IF_ERROR(TakeHints(options.hints, draft));
  DL_RETURN_IF_ERROR(GuessDecimal(options.hints, draft));
  if (options.known != nullptr) {
    draft.may_lack_labels = options.may_lack_labels;
    DL_RETURN_IF_ERROR(FitToModel(*options.known, options.hints, draft));
    for (size_t i = 0; i < draft.columns().size(); ++i) {
      if (draft.IsFeature(i)) DL_RETURN_IF_ERROR(CheckFeatureOfModel(*options.known, i, draft));
    }
  } else {
    DL_RETURN_IF_ERROR(GuessDateOrder(options.hints, draft));
    DL_RETURN_IF_ERROR(PlaceWeights(options.hints, draft));
    DL_RETURN_IF_ERROR(PlaceLabel(options.hints, draft));
    DL_RETURN_IF_ERROR(GuessFeatures(draft));
    DL_RETURN_IF_ERROR(GuessLabelType(options.hints, draft));
    RecordDoubts(draft);
  }
  DescribeColumns(draft);
  ReportTable(draft);
  draft.table.expected = ExpectedSchema(draft);
  return std::move(draft.table);
}

}  // namespace dl::dataset
