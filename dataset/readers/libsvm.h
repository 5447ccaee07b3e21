// Rows of LIBSVM and SVMlight (Chang, Lin, "LIBSVM: a library for support vector machines", 2011;
// Joachims, "Making large-scale SVM learning practical", 1999).
#pragma once

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/read_options.h"
#include "job/sources/libsvm.h"

namespace dl::dataset {

// A line is an example: its label, then index:value for features that are not 0, in any order, none
// twice, separated by spaces or tabs. `#` begins a comment to the line's end; what is empty then is
// no example. `qid:N` right behind the label is left out: examples count one by one, not by query.
//
// Rows become dense float32. Their number of features is `feature_count`, else the training split's
// for a test split, else what the largest index says, for which the files are read twice. Labels
// are numbers; as classes whole ones go by their value ("+1" and "1.0" are "1"), named and ordered
// as readers/label_texts.h says. Errors name file, line and column: no number, an index below
// `index_base` or beyond the features, NaN and infinity.
StatusOr<ExampleTable> ReadLibsvm(const job::LibsvmSource& source, const ReadOptions& options = {});

}  // namespace dl::dataset
