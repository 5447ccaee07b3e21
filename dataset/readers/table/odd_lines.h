// Explains text files whose lines are no rows of fields.
#pragma once

#include <string>

#include "base/status.h"
#include "dataset/readers/table/dialect_trial.h"

namespace dl::dataset {

// Returns InvalidArgument if the lines of the file end with other characters than LF and CR, or if
// it ends with the sign of DOS for the end of a file.
Status CheckLineEnds(const FileBegin& begin, const std::string& path);

// Returns InvalidArgument for a file without a separator if each row is one field in quotes, or if
// each row has one field. Otherwise returns OK.
Status CheckHasSeveralFields(const FileBegin& begin, const std::string& path);

}  // namespace dl::dataset
