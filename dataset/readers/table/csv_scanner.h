// Splits CSV text into rows of fields as RFC 4180 defines. Fields in double quotes may contain
// separators, line ends and doubled quotes. Lines end with LF, CR LF or CR. Skips empty lines,
// blanks around unquoted fields, lines that begin with the comment character, and a first line
// "sep=;" as Excel writes it. Rows of empty fields at the end of the text are no rows: spreadsheets
// write them for cells that were emptied.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "dataset/readers/source_file.h"
#include "dataset/readers/table/csv_signs.h"

namespace dl::dataset {

struct CsvSigns {
  char separator = ',';
  char comment = '\0';  // '\0': no comments
  // Fields are separated by runs of spaces and tabs instead of `separator`.
  bool blanks = false;
};

// Rows that are read together. The fields are views of the text of a file or of `own_texts`. They
// remain valid when the scanner reads on.
struct CsvRowBatch {
  CsvRowBatch() = default;
  CsvRowBatch(CsvRowBatch&&) = default;  // a copy would have views of the texts of the original
  CsvRowBatch& operator=(CsvRowBatch&&) = default;

  struct Row {
    size_t begin = 0, end = 0;  // range of its fields
    int64_t row = 0, line = 0;  // as CsvScanner::row() and line()
  };
  std::vector<Row> rows;
  std::vector<std::string_view> fields;  // of all rows
  std::deque<std::string> own_texts;     // fields with doubled quotes, and changed fields
  // The text of a file. Shared by the scanner and the batches with fields of the same piece of it.
  // A shared text does not change.
  std::shared_ptr<const std::string> text;

  std::span<const std::string_view> FieldsOf(const Row& row) const {
    return std::span(fields).subspan(row.begin, row.end - row.begin);
  }
  void Clear() {
    rows.clear();
    fields.clear();
    own_texts.clear();
    text.reset();
  }
};

class CsvScanner {
 public:
  // Scans a text. `text` must outlive the scanner and its batches. `path` is used in errors. A byte
  // order mark is skipped.
  CsvScanner(std::string_view text, CsvSigns signs, std::string path);
  // Scans a file. Holds only a part of it in memory: the current rows and the bytes that were read
  // with them. `file` must outlive the scanner.
  CsvScanner(SourceFile& file, CsvSigns signs);

  // Reads the fields of the next row and returns true; returns false at the end. The strings in
  // `fields` are reused. Returns InvalidArgument for
  //   - a row of a file that exceeds a limit between 64 and 128 MiB.
  //   - a row with more than limits::kMaxCsvColumns fields, a quoted field that does not end, and
  //     text after a closing quote.
  //   - a file in another encoding (foreign_format.h), or with a byte 0.
  // Other errors are those of reading the file.
  StatusOr<bool> NextRow(std::vector<std::string>& fields);
  // Replaces the content of the batch by the next rows: at least one, and no further one after 256
  // KiB of text. Returns true; returns false at the end. The errors are those of NextRow. An error
  // is returned when all rows before it were in batches.
  StatusOr<bool> NextRows(CsvRowBatch& batch);

  // Returns whether all text that remains is in memory, as it is for small files.
  bool HoldsRest() const { return ended_; }

  // Number of rows of empty fields at the end of the text, which were skipped. Known when no row
  // is left.
  int64_t empty_rows_at_end() const { return empty_rows_at_end_; }

  // Number of the last row, from 1, including the header. Skipped lines are not rows.
  int64_t row() const { return row_; }
  int64_t line() const { return row_line_; }  // line where the row begins, from 1
  // Returns InvalidArgument for a mistake in the last row. `field` is the index of the field from
  // 0; -1: the whole row. `name` is the name of its column, if it has one. The message names the
  // row, the field and the column. The place is the file and the line. See
  // dataset/readers/file_error.h.
  Status Bad(int64_t field, std::string message, std::string remedy,
             const std::string& name = "") const {
    return BadIn({.row = row_, .line = row_line_}, field, std::move(message), std::move(remedy),
                 name);
  }
  // The same for a row of a batch. Thread-safe.
  Status BadIn(const CsvRowBatch::Row& row, int64_t field, std::string message, std::string remedy,
               const std::string& name = "") const;

 private:
  // A place in the text before a row, and in the batch that gets the row.
  struct Place {
    size_t at = 0, fields = 0, rows = 0;
    int64_t row = 0, line = 0;
  };
  Place Here(const CsvRowBatch& batch) const {
    return {at_, batch.fields.size(), batch.rows.size(), row_, line_};
  }
  void GoBackTo(const Place& place, CsvRowBatch& batch);
  // Appends the next row. If it may continue after the text, appends nothing and returns nullopt
  // instead of a row or an error; `at_` is then the begin of the row.
  std::optional<StatusOr<bool>> TakeRow(CsvRowBatch& batch);
  StatusOr<bool> ParseRow(CsvRowBatch& batch);
  bool TakePlainFields(CsvRowBatch& batch, size_t begin);
  // Replaces held_ by a text that no batch shares, and that begins with the text from at_ on.
  void KeepRest();
  // Keeps the text from at_ and reads more of the file. Sets `ended_` at the end of the file.
  Status ReadOn();
  Status ReadPieces(size_t least);
  Status CheckHasNoZero(size_t begin, int64_t line) const;
  StatusOr<std::string_view> QuotedField(CsvRowBatch& batch);
  std::string_view PlainField();
  void SkipEmptyLines();
  std::optional<int64_t> CountEmptyRows();
  // Skips the line "sep=;" at the start of the text.
  void SkipSeparatorLine();
  void EndLine();
  bool AtLineEnd() const;
  bool AtSeparator() const;
  void SkipBlanks();

  SourceFile* file_ = nullptr;
  std::shared_ptr<std::string> held_;  // for a file: the buffer that text_ points into
  std::vector<std::shared_ptr<std::string>> texts_;  // held_, texts of batches, and unused ones
  Status after_held_;                                // error that follows the text in held_
  bool ended_ = true;                                // no text follows text_
  std::string_view text_;
  size_t at_ = 0;
  const CsvSigns signs_;
  CsvSignSearch search_;
  const std::string path_;
  int64_t row_ = 0;
  int64_t empty_rows_at_end_ = 0;
  size_t value_at_ = 0;   // text_ has a value there; no row before it is one of those at the end
  int64_t line_ = 1;      // line of at_
  int64_t row_line_ = 1;  // line where the row begins
  CsvRowBatch one_;       // for NextRow
};

}  // namespace dl::dataset
