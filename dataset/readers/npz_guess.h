// Guesses how to read an archive of NumPy's arrays of which only the name is known.
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

// Finds the arrays of features and labels by their usual names, and looks at all labels. Labels
// with fractions are numbers to predict, and so are many whole numbers with gaps between them. An
// archive or array that cannot be read is left to the reader, which explains it. Errors: those of
// SourcePaths.
StatusOr<GuessedNpz> GuessNpz(const std::string& path);

}  // namespace dl::dataset
