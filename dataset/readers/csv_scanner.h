// Splits CSV text into rows of fields after RFC 4180: fields in double quotes may hold separators,
// line ends and doubled quotes; lines end with LF, CR LF or CR. Empty lines are skipped, and blanks
// around fields without quotes. A line that begins with the sign of comments is no row, nor is a
// first line "sep=;", which Excel writes and reads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "dataset/readers/source_file.h"

namespace dl::dataset {

struct CsvSigns {
  char separator = ',';
  char comment = '\0';  // none
  // Fields are separated by runs of spaces and tabs, in place of `separator`.
  bool blanks = false;
};

class CsvScanner {
 public:
  // `text` outlives the scanner; `path` is for errors. A byte order mark is skipped.
  CsvScanner(std::string_view text, CsvSigns signs, std::string path);
  // Of a file, of which it holds a part at a time: a row, and what was read with it. `file`
  // outlives it.
  CsvScanner(SourceFile& file, CsvSigns signs);

  // The next row's fields (strings are reused); false at the end. A row of more than 64 MiB
  // of a file is an error; so are the file's own.
  StatusOr<bool> NextRow(std::vector<std::string>& fields);

  int64_t row() const { return row_; }        // of the last row, from 1, the header counted
  int64_t line() const { return row_line_; }  // the line where it begins, from 1
  // An error at the last row and a field (from 0; -1: the row as a whole) of the column `name`, if
  // it has one: the message names them, the place is the file and the line. See
  // readers/file_error.h.
  Status Bad(int64_t field, std::string message, std::string remedy,
             const std::string& name = "") const;

 private:
  StatusOr<bool> ParseRow(std::vector<std::string>& fields);
  // Reads on behind what is left of the text from `kept` on; sets `ended_` at the file's end.
  Status ReadOn(size_t kept);
  Status QuotedField(std::string& out);
  void PlainField(std::string& out);
  void SkipEmptyLines();
  // After a byte order mark or the begin of the file.
  void SkipSeparatorLine();
  void EndLine();
  bool AtLineEnd() const;
  bool AtSeparator() const;
  void SkipBlanks();

  SourceFile* file_ = nullptr;
  std::string held_;   // of a file: what text_ is of
  bool ended_ = true;  // nothing comes behind text_
  std::string_view text_;
  size_t at_ = 0;
  const CsvSigns signs_;
  const std::string path_;
  int64_t row_ = 0;
  int64_t line_ = 1;      // where at_ is
  int64_t row_line_ = 1;  // where the row began
};

}  // namespace dl::dataset
