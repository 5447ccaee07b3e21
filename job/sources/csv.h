// Tables of text (RFC 4180). A column holds the label, or several columns hold the numbers and
// classes to predict. Other columns are features (numbers, categories or dates), unless a key gives
// them another role. A row is an example, or a step of a sequence.
// dataset/readers/table/csv_reader.h reads the tables.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/sources/columns.h"
#include "job/sources/labels.h"
#include "job/sources/sequence_keys.h"
#include "job/sources/source_files.h"
#include "job/sources/table_values.h"

namespace dl::job {

// Value of `separator` for fields that are separated by runs of spaces and tabs.
inline constexpr std::string_view kSeparatedByBlanks = "blanks";

struct CsvSource {
  static constexpr std::string_view kTag = "csv";

  Files path;                   // if files have headers, every file has one
  bool header = true;           // whether the first row holds the columns' names
  std::string separator = ",";  // one ASCII character, or kSeparatedByBlanks
  Decimal decimal = Decimal::kPoint;
  // By default the last column. Indices count from 0; negative indices count from the end.
  Column label_column = int64_t{-1};
  LabelType label_type = LabelType::kClass;
  // One ASCII character. Lines that begin with it are skipped.
  std::optional<std::string> comment = {};
  Columns target_columns = {};                   // numbers or classes; replaces label_column
  std::optional<Column> weight_column = {};      // weight of each example in the loss, at least 0
  std::optional<std::string> label_suffix = {};  // text at the end of labels that is ignored
  Columns exclude_columns = {};                  // columns that are ignored
  CategoricalColumns categorical_columns = {};   // columns whose values are categories
  Columns date_columns = {};                     // dates that become days since 1970-01-01
  Columns date_part_columns = {};                // dates that become six features each
  DateOrder date_order = DateOrder::kSure;
  // Treatment of values that are not numbers (job/sources/table_values.h).
  CategoryEncoding category_encoding = CategoryEncoding::kOneHot;
  UnknownCategory unknown_category = UnknownCategory::kIgnore;
  // Texts that mean a missing value, in addition to empty fields and fields of blanks. Upper and
  // lower case of ASCII letters are equal.
  std::vector<std::string> missing_values = {"?", "NA", "N/A", "NaN", "null"};
  MissingNumber missing_number = MissingNumber::kError;
  MissingCategory missing_category = MissingCategory::kError;
  std::optional<SequenceRows> sequences = {};  // none: each row is an example

  // The files have no header; columns are given by index. Default: header.
  CsvSource& NoHeader() {
    header = false;
    return *this;
  }
  // Sets the separator: an ASCII character, or kSeparatedByBlanks. Default: ",".
  CsvSource& Separator(std::string value) {
    separator = std::move(value);
    return *this;
  }
  // Sets the decimal separator to a comma: 1,5 is a number, and 1.5 is an error. Default: point.
  CsvSource& DecimalComma() {
    decimal = Decimal::kComma;
    return *this;
  }
  // Lines that begin with this ASCII character are skipped. Default: none.
  CsvSource& Comment(std::string sign) {
    comment = std::move(sign);
    return *this;
  }
  // Column of the label, by name or index (from 0; negative from the end). Default: -1, the last.
  CsvSource& LabelColumn(std::string name) {
    label_column = std::move(name);
    return *this;
  }
  CsvSource& LabelColumn(int64_t index) {
    label_column = index;
    return *this;
  }
  // Text at the end of labels that is ignored. Default: none. For classes only.
  CsvSource& LabelSuffix(std::string suffix) {
    label_suffix = std::move(suffix);
    return *this;
  }
  // Labels are numbers to predict. Default: classes.
  CsvSource& LabelsAreNumbers() {
    label_type = LabelType::kNumber;
    return *this;
  }
  // There are no labels; all columns without another role are features.
  CsvSource& WithoutLabels() {
    label_type = LabelType::kNone;
    return *this;
  }
  // Columns to predict, in this order: numbers, or classes if Categorical names them. Also sets the
  // type of labels to numbers. Check refuses a label column beside them. At most
  // limits::kMaxCsvColumns columns, as in all lists of columns below.
  CsvSource& TargetColumns(Columns columns) {
    target_columns = std::move(columns);
    return LabelsAreNumbers();
  }
  // Column that contains the weights of the examples in the loss. A weight is at least 0. The
  // column is not a feature. Default: no column, all weights are 1. A test set with a header has by
  // default the training set's column, unless its rows are steps of sequences.
  CsvSource& WeightColumn(Column column) {
    weight_column = std::move(column);
    return *this;
  }
  // Columns that are ignored. Default: none.
  CsvSource& ExcludeColumns(Columns columns) {
    exclude_columns = std::move(columns);
    return *this;
  }
  // Columns whose values are categories. Default: none.
  CsvSource& Categorical(CategoricalColumns columns) {
    categorical_columns = std::move(columns);
    return *this;
  }
  // Treats columns as categories if their first value that is not missing is not a number ("auto").
  // The import fails if most values of such a column are numbers that are unlikely to be
  // categories.
  CsvSource& FindCategorical() {
    categorical_columns = {};
    categorical_columns.automatic = true;
    return *this;
  }
  // Columns of dates that become one number: days since 1970-01-01, with the time of day as
  // fraction. Default: none.
  CsvSource& Dates(Columns columns) {
    date_columns = std::move(columns);
    return *this;
  }
  // Columns of dates that become six features: year, month, day, weekday (0 = Monday), hour and
  // minute. A missing date is always an error. Default: none.
  CsvSource& DateParts(Columns columns) {
    date_part_columns = std::move(columns);
    return *this;
  }
  // Order of day and month in dates like 01/02/2020. Default: kSure, an error for such dates.
  CsvSource& OrderOfDates(DateOrder order) {
    date_order = order;
    return *this;
  }
  // kOneHot: one feature per category of the column. kIndex: one feature, the category's number
  // from 0. Default: kOneHot.
  CsvSource& CategoriesAs(CategoryEncoding encoding) {
    category_encoding = encoding;
    return *this;
  }
  // Treatment of a category that the training set lacks. kIgnore: all features 0 (one_hot), or the
  // number after the last (index). Default: kIgnore.
  CsvSource& OnUnknownCategory(UnknownCategory rule) {
    unknown_category = rule;
    return *this;
  }
  // Texts that mean a missing value, in addition to empty fields and fields of blanks. Upper and
  // lower case of ASCII letters are equal. Replaces the default "?", "NA", "N/A", "NaN", "null".
  CsvSource& MissingValues(std::vector<std::string> texts) {
    missing_values = std::move(texts);
    return *this;
  }
  // Treatment of missing values: an error or a replacement. `number` applies to columns of numbers
  // and of Dates, `category` to columns of categories. Default: kError for both.
  CsvSource& OnMissing(MissingNumber number, MissingCategory category) {
    missing_number = number;
    missing_category = category;
    return *this;
  }
  // Rows are steps of sequences. Default: each row is an example.
  CsvSource& Sequences(SequenceRows rows) {
    sequences = std::move(rows);
    return *this;
  }

  bool operator==(const CsvSource&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(kPathField, self.path);
    visit(nn::Field{.key = "header", .meaning = "Whether the first row has column names"},
          self.header);
    visit(nn::Field{.key = "separator",
                    .what = "separator",
                    .max = limits::kMaxPath,  // Check() does the rest
                    .meaning =
                        "Field separator: one character, or `blanks` for runs of spaces and tabs"},
          self.separator);
    visit(nn::Field{.key = "decimal",
                    .meaning = "Decimal separator. With `comma`, 1,5 is a number, and a number "
                               "with a point is an error"},
          self.decimal);
    visit(nn::Field{.key = "comment",
                    .what = "comment",
                    .max = limits::kMaxPath,  // Check() does the rest
                    .meaning = "Character that starts a comment line; null = no comments"},
          self.comment);
    visit(nn::Field{.key = "label_column",
                    .what = "label_column",
                    .min = -limits::kMaxExtent,
                    .max = limits::kMaxExtent,
                    .meaning = "Name or index (from 0) of the label column. Negative indices count "
                               "from the end. Default: the last column"},
          self.label_column);
    visit(
        ColumnsField("target_columns",
                     "Columns to predict, instead of `label_column`. They are numbers "
                     "(`label_type` `number`), or classes if they are among `categorical_columns`"),
        self.target_columns);
    visit(nn::Field{.key = "weight_column",
                    .what = "weight_column",
                    .min = -limits::kMaxExtent,
                    .max = limits::kMaxExtent,
                    .meaning = "Name or index of the column with each example's weight in the loss "
                               "(at least 0), which is not a feature. null = none; for a test set, "
                               "the column of the training set"},
          self.weight_column);
    visit(nn::Field{.key = "label_suffix",
                    .what = "label_suffix",
                    .max = limits::kMaxPath,
                    .meaning = "Text to remove from the end of labels, for example the full stops "
                               "in Adult's test set. null = none"},
          self.label_suffix);
    visit(ColumnsField("exclude_columns", "Columns to leave out"), self.exclude_columns);
    visit(ColumnsField("categorical_columns",
                       "Columns of categories. `auto` = columns whose first value that is not "
                       "missing, and most values, are not numbers. A test set uses the value of "
                       "the training set"),
          self.categorical_columns);
    visit(ColumnsField("date_columns",
                       "Columns of dates and times to replace by days since 1970-01-01, with the "
                       "time of day as a fraction. A test set uses the value of the training set"),
          self.date_columns);
    visit(ColumnsField("date_part_columns",
                       "Columns of dates and times to replace by year, month, day, weekday (0 = "
                       "Monday), hour and minute. A test set uses the value of the training set"),
          self.date_part_columns);
    visit(nn::Field{.key = "date_order",
                    .meaning = "Order of dates such as 01/02/2020. `sure` = report such dates as "
                               "an error. A test set uses the value of the training set"},
          self.date_order);
    visit(nn::Field{.key = "category_encoding",
                    .meaning = "`one_hot` = one feature per category, 1 for the value's category "
                               "and 0 for others; `index` = one feature, the number of the "
                               "category from 0. A test set uses the value of the training set"},
          self.category_encoding);
    visit(nn::Field{.key = "unknown_category",
                    .meaning = "Treatment of categories that the training set lacks. `ignore` = 0 "
                               "in all features (one_hot) or the number after the last (index). A "
                               "test set uses the value of the training set"},
          self.unknown_category);
    visit(
        nn::Field{
            .key = "missing_values",
            .what = "a missing value",
            .max = limits::kMaxPath,
            .meaning =
                "Texts that mark a missing value, in any case. An empty field is also missing"},
        self.missing_values);
    visit(
        nn::Field{
            .key = "missing_number",
            .meaning =
                "Value for missing numbers: the mean or the most frequent value of the column in "
                "the training set; or an error. A test set uses the value of the training set"},
        self.missing_number);
    visit(nn::Field{.key = "missing_category",
                    .meaning = "Value for missing categories: the most frequent category of the "
                               "column in the training set, or a category of its own; or an error. "
                               "A test set uses the value of the training set"},
          self.missing_category);
    visit(
        nn::Field{.key = "sequences",
                  .meaning = "Rule that makes sequences from rows; null = each row is an example"},
        self.sequences);
    visit(kLabelTypeField, self.label_type);
  }
  void Check(nn::Mistakes& mistakes) const;
};

// Compares date_order, category_encoding, unknown_category, missing_number and missing_category of
// a test set with those of its training set. Adds a mistake for each key that differs, unless the
// test set has the default value. The reader uses the training set's values for both sets.
void CheckTreatmentOfTestSet(const CsvSource& training, const CsvSource& test,
                             nn::Mistakes& mistakes);

}  // namespace dl::job
