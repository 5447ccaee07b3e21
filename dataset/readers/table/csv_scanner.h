// Splits CSV text into rows of fields as RFC 4180 defines. Fields in double quotes may contain
// separators, line ends and doubled quotes. Lines end with LF, CR LF or CR. Skips empty lines,
// blanks around unquoted fields, lines that begin with the comment character, and a first line
// "sep=;" as Excel writes it.
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
  char comment = '\0';  // '\0': no comments
  // Fields are separated by runs of spaces and tabs instead of `separator`.
  bool blanks = false;
};

class CsvScanner {
 public:
  // Scans a text. `text` must outlive the scanner. `path` is used in errors. A byte order mark is
  // skipped.
  CsvScanner(std::string_view text, CsvSigns signs, std::string path);
  // Scans a file. Holds only a part of it in memory: the current row and the bytes that were read
  // with it. `file` must outlive the scanner.
  CsvScanner(SourceFile& file, CsvSigns signs);

  // Reads the fields of the next row and returns true; returns false at the end. The strings in
  // `fields` are reused. Returns InvalidArgument for
  //   - a row of a file that exceeds a limit between 64 and 128 MiB.
  //   - a row with more than limits::kMaxCsvColumns fields, a quoted field that does not end, and
  //     text after a closing quote.
  //   - a file in another encoding (foreign_format.h).
  // Other errors are those of reading the file.
  StatusOr<bool> NextRow(std::vector<std::string>& fields);

  // Number of the last row, from 1, including the header. Skipped lines are not rows.
  int64_t row() const { return row_; }
  int64_t line() const { return row_line_; }  // line where the row begins, from 1
  // Returns InvalidArgument for a mistake in the last row. `field` is the index of the field from
  // 0; -1: the whole row. `name` is the name of its column, if it has one. The message names the
  // row, the field and the column. The place is the file and the line. See
  // dataset/readers/file_error.h.
  Status Bad(int64_t field, std::string message, std::string remedy,
             const std::string& name = "") const;

 private:
  StatusOr<bool> ParseRow(std::vector<std::string>& fields);
  // Keeps the text from `kept` and reads more of the file. Sets `ended_` at the end of the file.
  Status ReadOn(size_t kept);
  Status CheckHasNoZero(size_t begin);
  Status QuotedField(std::string& out);
  void PlainField(std::string& out);
  void SkipEmptyLines();
  // Skips the line "sep=;" at the start of the text.
  void SkipSeparatorLine();
  void EndLine();
  bool AtLineEnd() const;
  bool AtSeparator() const;
  void SkipBlanks();

  SourceFile* file_ = nullptr;
  std::string held_;   // for a file: the buffer that text_ points into
  bool ended_ = true;  // no text follows text_
  std::string_view text_;
  size_t at_ = 0;
  const CsvSigns signs_;
  const std::string path_;
  int64_t row_ = 0;
  int64_t line_ = 1;      // line of at_
  int64_t row_line_ = 1;  // line where the row begins
};

}  // namespace dl::dataset
