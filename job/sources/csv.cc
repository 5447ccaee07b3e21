#include "job/sources/csv.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace dl::job {
namespace {

// Returns whether the text is one ASCII character that RFC 4180 allows as separator: no quote and
// no line end.
bool IsSign(const std::string& text) {
  return text.size() == 1 && text[0] != '"' && text[0] != '\n' && text[0] != '\r' &&
         text[0] != '\0' && static_cast<unsigned char>(text[0]) < 0x80;
}

void CheckSequences(const CsvSource& source, nn::Mistakes& mistakes) {
  const SequenceRows& sequences = *source.sequences;
  if (sequences.column && std::holds_alternative<std::string>(*sequences.column) &&
      !source.header) {
    mistakes.Add("sequences.column has a name, but the file has no header",
                 "Give the column's index, or set header to true");
  }
  if (sequences.label_of == LabelOf::kStep && source.label_type == LabelType::kNone) {
    mistakes.Add("sequences.label_of is \"step\", but there are no labels", "Leave it out");
  }
}

}  // namespace

void CsvSource::Check(nn::Mistakes& mistakes) const {
  const bool blanks = separator == kSeparatedByBlanks;
  // An empty separator is already reported.
  if (!separator.empty() && !blanks && !IsSign(separator)) {
    mistakes.Add("the separator is not one ASCII character that can separate fields",
                 "Use for example \",\", \";\" or \"\\t\", or \"blanks\" for runs of blanks");
  }
  if (comment && !comment->empty() && (!IsSign(*comment) || *comment == separator)) {
    mistakes.Add("the comment is not one ASCII character that can begin a line",
                 "Use for example \"#\" or \"|\"");
  }
  if (std::holds_alternative<std::string>(label_column) && !header) {
    mistakes.Add("the label column has a name, but the file has no header",
                 "Give its index, or set header to true");
  }
  const auto named = [&](const char* key, const Columns& columns) {
    if (header || !AnyIsNamed(columns)) return;
    mistakes.Add(absl::StrCat(key, " has a name, but the file has no header"),
                 "Give the column's index, or set header to true");
  };
  if (weight_column) named("weight_column", {*weight_column});
  named("target_columns", target_columns);
  named("exclude_columns", exclude_columns);
  named("categorical_columns", categorical_columns);
  named("date_columns", date_columns);
  named("date_part_columns", date_part_columns);
  RefuseClassSequence(label_type, mistakes);
  if (sequences) CheckSequences(*this, mistakes);
  if (!target_columns.all.empty() && label_type == LabelType::kClass) {
    mistakes.Add("target_columns are numbers to predict, but label_type is \"class\"",
                 "Set label_type to \"number\", or name one label_column");
  }
  if (label_type == LabelType::kNone &&
      (!target_columns.all.empty() || label_column != Column(int64_t{-1}))) {
    mistakes.Add("a column of labels is named, but label_type is \"none\"",
                 "Name it in exclude_columns, or set label_type to its type");
    return;
  }
  if (!target_columns.all.empty() && label_column != Column(int64_t{-1})) {
    mistakes.Add("both target_columns and label_column are given", "Give only one of them");
  }
  if (label_suffix && label_type != LabelType::kClass) {
    mistakes.Add("label_suffix is given, but the labels are not classes",
                 "Leave it out, or set label_type to \"class\"");
  }
}

void CheckTreatmentOfTestSet(const CsvSource& training, const CsvSource& test,
                             nn::Mistakes& mistakes) {
  const CsvSource unstated;
  const auto check = [&](const char* key, auto CsvSource::*value) {
    if (test.*value == unstated.*value || test.*value == training.*value) return;
    mistakes.Add(absl::StrCat(key, " differs from that of the training set"),
                 "Set it in data.train alone, which also decides how test sets are read");
  };
  check("date_order", &CsvSource::date_order);
  check("category_encoding", &CsvSource::category_encoding);
  check("unknown_category", &CsvSource::unknown_category);
  check("missing_number", &CsvSource::missing_number);
  check("missing_category", &CsvSource::missing_category);
}

}  // namespace dl::job
