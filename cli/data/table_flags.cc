#include "cli/data/table_flags.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "cli/exit_code.h"
#include "dataset/readers/table/csv_scanner.h"

namespace dl::cli {
namespace {

// Returns the separator for a name such as "tab", which is easier to type than the character.
StatusOr<std::string> SeparatorNamed(const std::string& text) {
  if (text == "tab" || text == "\\t") return std::string("\t");
  if (text == "comma") return std::string(",");
  if (text == "semicolon") return std::string(";");
  if (text == "space" || text == " ") return std::string(job::kSeparatedByBlanks);
  if (text == job::kSeparatedByBlanks) return text;
  const bool is_sign = text.size() == 1 && static_cast<unsigned char>(text[0]) < 0x80 &&
                       text[0] != '"' && text[0] != '\n' && text[0] != '\r';
  if (is_sign) return text;
  return UsageError(
      {.message = absl::StrCat("\"", absl::CHexEscape(text), "\" cannot separate fields"),
       .where = "--separator",
       .remedy = "Give one ASCII character, or tab, comma, semicolon or blanks"});
}

// Splits lists of names separated by commas. A name in quotes may contain commas (RFC 4180).
StatusOr<std::vector<std::string>> SplitNames(const std::string& flag,
                                              const std::vector<std::string>& lists) {
  std::vector<std::string> names, fields;
  for (const std::string& list : lists) {
    dataset::CsvScanner scanner(list, {}, flag);
    const auto more = scanner.NextRow(fields);
    if (!more.ok()) {
      return UsageError(
          {.message = absl::StrCat("a quotation mark in ", Excerpt(list), " is not closed"),
           .where = flag,
           .remedy = "Separate names by commas; put a name with commas in double quotes, for "
                     "example '\"a,b\",c'"});
    }
    if (*more) names.insert(names.end(), fields.begin(), fields.end());
  }
  return names;
}

}  // namespace

void TableFlags::Declare(Flags& flags, Use use) {
  flags.Text("--label", "COLUMN", label_,
             "Label column of a table: its name, otherwise its index from 0");
  if (use == Use::kTraining) {
    flags.Switch("--regression", regression_, "Read labels as numbers to predict");
    flags.Switch("--classes", classes_,
                 "Read labels as classes, even if they are numbers with many values");
  }
  if (use == Use::kTraining) {
    flags.Text("--example-weights", "COLUMN|FILE", example_weights_,
               "Weights of examples in the loss: a column of a table, an array of an .npz file, "
               "otherwise a file (docs/formats.md, \"Files of weights\")");
  } else if (use == Use::kEvaluation) {
    flags.Text("--example-weights", "FILE", example_weights_,
               "Weights of examples if the data is not a table: an array of an .npz file, "
               "otherwise a file. The model knows the column of a table.");
  } else {
    flags.AddForeignFlag("--example-weights",
                         "Predictions use no weights; the flag is for run, import and evaluate");
  }
  flags.Choice("--header", "yes|no", header_, {"yes", "no"},
               "Whether the first row of a table has names");
  flags.Text("--separator", "SIGN", separator_,
             "Field separator of a table: one character, tab, comma, semicolon, or blanks for runs "
             "of blanks");
  flags.Choice("--decimal", "point|comma", decimal_, {"point", "comma"},
               "Decimal separator of a table");
  flags.List("--drop", "COLUMNS", drop_,
             "Leave out these columns of a table, for example a,b,c. Names come first, then "
             "indices from 0. Quote a name that has commas: '\"a,b\",c'.");
  if (use == Use::kTraining) {
    flags.List("--keep", "COLUMNS", keep_,
               "Keep these columns of a table, even if they look like names or row numbers");
    flags.List("--categories", "COLUMNS", categories_,
               "Read these columns of a table as categories, even if they are numbers");
    flags.List("--dates", "COLUMNS", dates_,
               "Replace these columns of a table, dates or times, by days since 1970");
    flags.List("--date-parts", "COLUMNS", date_parts_,
               "Replace these columns of a table, dates or times, by year, month, day, weekday, "
               "hour and minute");
    flags.Choice("--date-order", "ORDER", date_order_, {"day-first", "month-first"},
                 "Order of dates such as 01/02/2020 in --dates and --date-parts, if no row shows "
                 "it: day-first or month-first");
  } else {
    for (const char* flag : {"--regression", "--classes", "--keep", "--categories", "--dates",
                             "--date-parts", "--date-order"})
      flags.AddForeignFlag(flag,
                           "The model says what its columns are; the flag is for run and import");
  }
  flags.List("--missing", "TEXT", missing_,
             "Treat this text of a table as a missing value. May be repeated.");
}

StatusOr<dataset::TableHints> TableFlags::Hints() const {
  if (regression_ && classes_) {
    return UsageError(
        {.message = "--regression and --classes exclude each other", .remedy = "Give one of them"});
  }
  dataset::TableHints hints{.label = label_,
                            .weights = example_weights_,
                            .labels_are_numbers = regression_,
                            .labels_are_classes = classes_,
                            .missing = missing_};
  DL_ASSIGN_OR_RETURN(hints.drop, SplitNames("--drop", drop_));
  DL_ASSIGN_OR_RETURN(hints.keep, SplitNames("--keep", keep_));
  DL_ASSIGN_OR_RETURN(hints.categories, SplitNames("--categories", categories_));
  DL_ASSIGN_OR_RETURN(hints.dates, SplitNames("--dates", dates_));
  DL_ASSIGN_OR_RETURN(hints.date_parts, SplitNames("--date-parts", date_parts_));
  if (!date_order_.empty()) {
    hints.date_order =
        date_order_ == "day-first" ? job::DateOrder::kDayFirst : job::DateOrder::kMonthFirst;
  }
  if (!header_.empty()) hints.has_header = header_ == "yes";
  if (!decimal_.empty())
    hints.decimal = decimal_ == "comma" ? job::Decimal::kComma : job::Decimal::kPoint;
  if (!separator_.empty()) {
    DL_ASSIGN_OR_RETURN(hints.separator, SeparatorNamed(separator_));
  }
  return hints;
}

std::string TableFlags::FirstGivenFlag() const {
  if (!label_.empty()) return "--label";
  if (!header_.empty()) return "--header";
  if (!separator_.empty()) return "--separator";
  if (!decimal_.empty()) return "--decimal";
  if (!drop_.empty()) return "--drop";
  if (!keep_.empty()) return "--keep";
  if (!categories_.empty()) return "--categories";
  if (!dates_.empty()) return "--dates";
  if (!date_parts_.empty()) return "--date-parts";
  if (!date_order_.empty()) return "--date-order";
  if (!missing_.empty()) return "--missing";
  if (regression_) return "--regression";
  if (classes_) return "--classes";
  return example_weights_.empty() ? "" : "--example-weights";
}

}  // namespace dl::cli
