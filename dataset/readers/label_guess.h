// Decides which column of a bare table is the label, and whether it has classes or numbers to
// predict.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/readers/column_guess.h"
#include "dataset/readers/table_profile.h"
#include "job/sources/labels.h"

namespace dl::dataset {

struct LabelPlace {
  size_t column = 0;
  std::vector<std::string> notes;
  bool is_doubtful = false;
};

// "label", "class", "target" and a few more, in any case of letters.
bool IsUsualLabelName(const std::string& name);

// By convention, where no one says: the last column that is not empty, or a column with one of a
// few usual names ("label", "class", "target"), if it is the only one.
LabelPlace GuessLabelPlace(const std::vector<std::string>& names,
                           std::vector<ColumnProfile>& columns);

// Whether labels that are numbers are numbers to predict: fractions or whole numbers of more than
// 20 distinct values, or of which most occur once. Whole numbers that count from 0 or 1 are classes
// if they are few. Also of labels that no table has, as those of libsvm.
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
// InvalidArgument: a label is missing, all are texts of their own, dates, or as of GuessColumn.
StatusOr<LabelGuess> GuessLabels(const ColumnQuestion& question, ColumnProfile& profile);

// InvalidArgument if a label is missing.
Status CheckNoneIsMissing(const ColumnQuestion& question, const ColumnProfile& profile);

}  // namespace dl::dataset
