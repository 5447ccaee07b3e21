// Finds out from its first rows how the text of a table is split into fields.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/readers/table/csv_scanner.h"

namespace dl::dataset {

struct DialectHints {
  std::string separator;  // as in job::CsvSource; empty: to be found
};

struct CsvDialect {
  CsvSigns signs;
  // Number of comment lines in the file.
  int64_t comment_lines = 0;
  // The comment line before the table has as many fields as a row, so it may be a header.
  bool comment_looks_like_header = false;
};

// Returns the dialect of the file, from its first MiB and 1,000 rows. A separator in the hints, or
// in a first line "sep=;", is returned without a comparison with the rows. Otherwise the best
// separator gives the most rows the same number of fields, then the most clean fields, and then the
// most columns (BestTrial in dialect_trial.h). Clean fields are numbers, and texts without other
// separators.
// Returns the errors of reading the file, and InvalidArgument
//   - if the file is empty, has another format (foreign_format.h, drawn_table.h), or is an ARFF or
//     libsvm file.
//   - if lines that begin with the sign of comments stand after the first row and have as many
//     fields as the rows. If all lines have as many fields, the sign begins no comments.
//   - if rows with fewer texts, such as a title, stand above the names of the columns.
//   - without a given separator: if there are other lines before the table, or if no separator
//     gives all rows the same number of fields. The first row may have one field less, as in tables
//     of R with row names.
StatusOr<CsvDialect> FindDialect(const std::string& path, const DialectHints& hints = {});

// Returns "a tab", "runs of blanks" or "\",\"".
std::string SeparatorText(const CsvSigns& signs);

}  // namespace dl::dataset
