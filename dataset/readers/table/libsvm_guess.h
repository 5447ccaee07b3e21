// Guesses how to read a libsvm file of which only the path is known.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "job/sources/libsvm.h"

namespace dl::dataset {

struct GuessedLibsvm {
  job::LibsvmSource source;
  std::vector<std::string> label_notes;  // sentences about doubtful kinds of labels
};

// Reads all lines to find out whether labels are numbers to predict
// (dataset/readers/table/label_guess.h) and whether an index is 0. Malformed lines are left to
// the reader. Returns the errors of reading the files.
StatusOr<GuessedLibsvm> GuessLibsvm(const std::string& path);

}  // namespace dl::dataset
