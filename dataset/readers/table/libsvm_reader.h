// Reads files of LIBSVM and SVMlight (Chang, Lin, "LIBSVM: a library for support vector machines",
// 2011; Joachims, "Making large-scale SVM learning practical", 1999).
#pragma once

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/read_options.h"
#include "job/sources/libsvm.h"

namespace dl::dataset {

// A line is an example: its label, then index:value for each feature that is not 0, in any order
// and without repetition, separated by spaces or tabs. `#` begins a comment; a line without content
// is skipped. `qid:N` after the label is ignored, because examples count individually and not by
// query.
//
// Rows become dense float32. The number of features is `feature_count`, else that of the training
// split for a test split. Otherwise the largest index belongs to the last feature, and the files
// are read twice. Labels are numbers. As classes, whole numbers are compared by value ("+1" and
// "1.0" are "1") and named and ordered as in dataset/readers/label_texts.h.
//
// Returns an error with file, line and column for text that is not a number, an index below
// `index_base` or above the number of features, NaN and infinity. Returns InvalidArgument if only
// the training split counts features from 0. Other errors are those of SourcePaths, PathsBeside,
// SourceFile, AppendWeights, FinishWeights, CheckTrainingHasClasses, CheckSameSchema, ValidateTable
// and SpillFeatures.
StatusOr<ExampleTable> ReadLibsvm(const job::LibsvmSource& source, const ReadOptions& options = {});

}  // namespace dl::dataset
