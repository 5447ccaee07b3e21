// Compares the values of a dataset with those of the training set, to notice numbers that have
// another unit or another decimal sign.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/normalizer.h"

namespace dl::dataset {

// Returns sentences about the features and the numbers to predict of `table` of which more than
// half are far from the values of the training set: by more than 5 standard deviations, or by more
// than the width of its range, or nearer to 0 than a twentieth of its mean or minimum if its values
// are far from 0. `features` and `targets` are the normalizers of the training set.
// At most 5 features and 5 numbers have a sentence; one more sentence counts the others. Returns no
// sentence for fewer than 10 examples and for normalizers of the kind none. Features are not
// compared if they are bytes or have more than two dimensions, or if examples have lengths of their
// own. Categories and dates are not compared either. Returns errors of the table's temporary file.
StatusOr<std::vector<std::string>> FindUnitChanges(const ExampleTable& table,
                                                   const Normalizer& features,
                                                   const Normalizer& targets);

}  // namespace dl::dataset
