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

// Returns whether numeric labels are numbers to predict. This holds for fractions, for whole
// numbers with more than 20 distinct values, and for whole numbers of which most occur once. A few
// whole numbers that count from 0 or 1 are classes. Also used for labels outside of tables, as in
// libsvm.
// Statistics of labels that are numbers.
struct NumericLabels {
  int64_t values = 0, distinct = 0, fractions = 0;
  double min = 0, max = 0;
};
bool AreNumbersToPredict(const NumericLabels& labels);

struct LabelGuess {
  job::LabelType type = job::LabelType::kClass;
  std::vector<std::string> notes;
  bool is_doubtful = false;
};
// Guesses the type of the labels in a column. Returns InvalidArgument if a label is missing, if all
// labels are different texts or are dates, and in the cases of GuessColumn.
StatusOr<LabelGuess> GuessLabels(const ColumnQuestion& question, ColumnProfile& profile);

// Returns InvalidArgument if a label is missing.
Status CheckNoneIsMissing(const ColumnQuestion& question, const ColumnProfile& profile);

}  // namespace dl::dataset
