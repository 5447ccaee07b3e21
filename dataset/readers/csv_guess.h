// A table of which nothing is known but its file.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "job/sources/csv.h"

namespace dl::dataset {

// What the rows of the file, or of the first that a pattern matches, look like: the separator,
// whether the first row is a header, whether the last column, which is taken for the label, holds
// classes or numbers to predict, and whether the others hold words, or lack values: then words are
// categories, the mean of its column stands for a missing number, and a missing word is a category.
// `known`: names of the columns of features of a table like it, or none; the label is the one that
// a header has beside them then, wherever it stands, if there is one.
// Errors: no file, or no table of any separator.
StatusOr<job::CsvSource> GuessCsv(const std::string& path,
                                  const std::vector<std::string>& known = {});

}  // namespace dl::dataset
