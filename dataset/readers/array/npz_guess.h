// Guesses how to read an archive of NumPy arrays of which only the path is known.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "job/sources/npz.h"

namespace dl::dataset {

struct GuessedNpz {
  job::NpzSource source;
  std::vector<std::string> notes;  // sentences about the labels, if they are numbers to predict
};

// Finds the arrays of features and labels by their usual names, and reads all labels. If it finds
// no such pair, the source keeps the default names. Labels with fractions are numbers to predict.
// Whole numbers are numbers to predict if there are more than 20 distinct ones, and most of the
// whole numbers between the smallest and the largest do not occur. Returns the errors of
// SourcePaths, for example for a pattern that matches nothing. A missing or damaged archive or
// array is no error of this function: the reader reports it.
StatusOr<GuessedNpz> GuessNpz(const std::string& path);

}  // namespace dl::dataset
