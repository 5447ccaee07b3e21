// Splits the first rows of a table with several separators, to find the best one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "dataset/readers/table/csv_scanner.h"

namespace dl::dataset {

// The first MiB of a file.
struct FileBegin {
  std::string text;
  std::vector<std::string_view> lines;  // without blank lines, at most 1,000
};

// Returns whole lines, unless the file is one line.
StatusOr<FileBegin> ReadBegin(const std::string& path);

// Result of splitting the first rows with the given characters.
struct Trial {
  CsvSigns signs;
  std::vector<size_t> counts;  // number of fields in each row
  size_t columns = 0;          // most frequent number of fields
  double clean = 0;            // share of clean fields
  bool ok = false;             // no error of the scanner
  Status error;                // of the scanner

  size_t Alike() const {
    return static_cast<size_t>(std::count(counts.begin(), counts.end(), columns));
  }
  // Returns whether all rows have the same number of fields, or all but a header that lacks the
  // name of R's row names.
  bool AllAlike() const {
    return ok && columns > 1 &&
           (Alike() == counts.size() ||
            (counts.size() > 2 && Alike() + 1 == counts.size() && counts.front() + 1 == columns));
  }
};

// Splits the first 1,000 rows.
Trial Try(const FileBegin& begin, CsvSigns signs, const std::string& path);

// Returns the best separator. A separator that gives all rows the same number of fields comes
// first, then the one that does so for most rows, then the one with the most clean fields. Among
// separators that are as good, runs of blanks come last, because names and times contain blanks,
// and more columns come first.
Trial BestTrial(const FileBegin& begin, char comment, const std::string& path);

}  // namespace dl::dataset
