// CSV tables: one column holds the label, or some the numbers to predict; the others are features.
#pragma once

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/read_options.h"
#include "job/sources/csv.h"

namespace dl::dataset {

// Features are float32, read without locale, and categories by the vocabulary of the training set.
// Class labels are texts (readers/label_texts.h), targets are numbers. What nothing is said about
// (a missing value, a number that is not finite, a word where a number is meant) is an error with
// file, row and column. Of several files each has the header, where there is one, with the same
// names in the same order. Of a training set with categories, or with values that stand for missing
// ones, the files are read twice; to split them, once more: neither needs memory for rows.
StatusOr<ExampleTable> ReadCsv(const job::CsvSource& source, const ReadOptions& options = {});

}  // namespace dl::dataset
