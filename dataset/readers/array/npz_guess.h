// Guesses how to read an archive of NumPy arrays of which only the path is known.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "job/sources/npz.h"

namespace dl::dataset {

struct GuessedNpz {
  job::NpzSource source;
  std::vector<std::string> label_notes;  // sentences about the kind of the labels
  std::vector<std::string> notes;        // sentences about other doubtful choices
};

// Finds the arrays of features and labels by their usual names, and reads all labels. If it finds
// no such pair, the source keeps the default names. GuessNumericLabels()
// (dataset/readers/table/label_guess.h) decides whether labels are numbers to predict, with two
// exceptions for whole numbers. If nine of ten indices from 0 to the largest occur, they are
// classes. If nine of ten do not occur, they are numbers to predict. Notes name other arrays that
// have an entry for each example. Returns the errors of SourcePaths, for example for a pattern that
// matches nothing. A missing or damaged archive or array is no error of this function: the reader
// reports it.
StatusOr<GuessedNpz> GuessNpz(const std::string& path);

}  // namespace dl::dataset
