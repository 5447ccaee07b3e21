// Reads CSV tables. Labels are one column of classes, or one or more columns of numbers and classes
// to predict. Other columns are features, unless the source gives them another role.
#pragma once

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/read_options.h"
#include "job/sources/csv.h"

namespace dl::dataset {

// Features are float32, parsed independently of the locale; categories are mapped by the vocabulary
// of the training set. Class labels are texts (dataset/readers/label_texts.h), targets are numbers.
//
// A missing value, a number that is not finite, and a text instead of a number are errors with
// file, row and column, unless the source says how to treat them. If there are headers, all files
// must have the same header. Errors about the table are InvalidArgument. Other errors are those of
// SourcePaths, SourceFile and SpillFeatures.
//
// The files of a training set with categories, dates or replaced missing values are read twice. A
// split reads the files once more. Reading again needs no memory for rows.
StatusOr<ExampleTable> ReadCsv(const job::CsvSource& source, const ReadOptions& options = {});

}  // namespace dl::dataset
