// Guesses which column of a table is the label, and whether it holds classes or numbers to predict.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/readers/table/column_guess.h"
#include "dataset/readers/table/table_profile.h"
#include "job/sources/labels.h"

namespace dl::dataset {

struct LabelPlace {
  size_t column = 0;
  std::vector<std::string> notes;
  bool is_doubtful = false;
};

// True for "label", "class", "target" and a few more names, in any case.
bool IsUsualLabelName(const std::string& name);

// Guesses the column of the label by convention: the only column with a usual name ("label",
// "class", "target"), else the last column that is not empty.
LabelPlace GuessLabelPlace(const std::vector<std::string>& names,
                           std::vector<ColumnProfile>& columns);

// Statistics of labels that are numbers. `fractions` counts values that are not whole numbers.
struct NumericLabels {
  int64_t values = 0, distinct = 0, fractions = 0;
  double min = 0, max = 0;
};
// Returns whether numeric labels are numbers to predict, and not classes. This holds for more than
// 20 distinct values. It also holds for 3 to 20 distinct values that are more than half of all
// values, unless they are the whole numbers from 0 or 1. Also used for labels outside of tables, as
// in libsvm.
bool AreNumbersToPredict(const NumericLabels& labels);

struct LabelGuess {
  job::LabelType type = job::LabelType::kClass;
  std::vector<std::string> notes;
  bool is_doubtful = false;
};
// Guesses the type of labels that are numbers, by AreNumbersToPredict(). The notes name the flag
// for the other type.
LabelGuess GuessNumericLabels(const NumericLabels& labels);

// Guesses the type of the labels in a column. Returns InvalidArgument if a label is missing or the
// column is empty, if nearly all labels are different texts, if they are dates, and in the cases of
// GuessColumn.
StatusOr<LabelGuess> GuessLabels(const ColumnQuestion& question, ColumnProfile& profile);

// Returns InvalidArgument if a label is missing.
Status CheckNoneIsMissing(const ColumnQuestion& question, const ColumnProfile& profile);

}  // namespace dl::dataset
