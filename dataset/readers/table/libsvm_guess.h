// Guesses how to read a libsvm file of which only the path is known.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "job/sources/libsvm.h"

namespace dl::dataset {

struct GuessedLibsvm {
  job::LibsvmSource source;
  std::vector<std::string> notes;  // sentences about doubtful choices
};

// Reads all lines to find out whether labels are numbers to predict
// (dataset/readers/table/label_guess.h) and whether an index is 0. Errors of the files pass
// through. Malformed lines are left to the reader.
StatusOr<GuessedLibsvm> GuessLibsvm(const std::string& path);

}  // namespace dl::dataset
