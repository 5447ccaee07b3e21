// Guesses how to read an archive of NumPy arrays of which only the path is known.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "job/sources/npz.h"

namespace dl::dataset {

struct GuessedNpz {
  job::NpzSource source;
  std::vector<std::string> notes;  // sentences about doubtful choices
};

// Finds the arrays of features and labels by their usual names, and reads all labels. If it finds
// no such pair, the source keeps the default names. Labels with fractions are numbers to predict,
// and so are many whole numbers with gaps. If an archive or array cannot be read, this is left to
// the reader, which explains the error. Returns errors of SourcePaths.
StatusOr<GuessedNpz> GuessNpz(const std::string& path);

}  // namespace dl::dataset
