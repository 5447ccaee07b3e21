// Guesses how to read a file of libsvm of which only the name is known.
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

// Looks at all lines: whether labels are numbers to predict (readers/label_guess.h), and whether an
// index is 0. Errors: the files' own; a line that is none is left to the reader.
StatusOr<GuessedLibsvm> GuessLibsvm(const std::string& path);

}  // namespace dl::dataset
