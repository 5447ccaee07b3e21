// How the text of a bare table is cut into fields, as its first rows show.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/readers/csv_scanner.h"

namespace dl::dataset {

struct DialectHints {
  std::string separator;  // as job::CsvSource has it; empty: to be found
};

struct CsvDialect {
  CsvSigns signs;
  // Number of lines among the first rows that begin with the sign of comments.
  int64_t comment_lines = 0;
  // The fields of the first comment line are as many as those of a row: perhaps a header.
  bool comment_looks_like_header = false;
};

// Returns the dialect of the file, by its first MiB and 1,000 rows. The best separator has the
// most clean fields, which are numbers and texts without other separators, then the most columns.
// Errors: the file's own; it is empty, of another format (foreign_format.h, drawn_table.h), an
// ARFF file or rows of libsvm; lines before the table; rows that no separator divides into equally
// many fields.
StatusOr<CsvDialect> FindDialect(const std::string& path, const DialectHints& hints = {});

// "a tab", "runs of blanks", "\",\"".
std::string SeparatorText(const CsvSigns& signs);

}  // namespace dl::dataset
