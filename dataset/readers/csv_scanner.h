// Splits CSV text into rows of fields after RFC 4180: fields in double quotes may hold separators,
// line ends and doubled quotes; lines end with LF or CR LF. Empty lines are skipped, and spaces
// around fields without quotes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace dl::dataset {

class CsvScanner {
 public:
  // `text` outlives the scanner; `path` is for errors. A byte order mark is skipped.
  CsvScanner(std::string_view text, char separator, std::string path);

  // The next row's fields (strings are reused); false at the end.
  StatusOr<bool> NextRow(std::vector<std::string>& fields);

  int64_t row() const { return row_; }  // of the last row, from 1, the header counted
  // An error at the last row and a field (from 0; -1: the row as a whole): the message names them,
  // the place is the file and the line. See readers/file_error.h.
  Status Bad(int64_t field, std::string message, std::string remedy) const;

 private:
  Status QuotedField(std::string& out);
  void PlainField(std::string& out);
  bool AtLineEnd() const;

  std::string_view text_;
  size_t at_ = 0;
  const char separator_;
  const std::string path_;
  int64_t row_ = 0;
  int64_t line_ = 1;      // where at_ is
  int64_t row_line_ = 1;  // where the row began
};

}  // namespace dl::dataset
