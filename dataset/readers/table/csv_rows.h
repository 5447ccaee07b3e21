// Iterates over the rows of a table's files, in order and as often as needed.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "dataset/readers/numbers.h"
#include "dataset/readers/table/csv_columns.h"
#include "dataset/readers/table/csv_scanner.h"
#include "dataset/readers/table/missing_texts.h"
#include "job/sources/csv.h"

namespace dl::dataset {

// Returns the separator and comment characters of the source.
CsvSigns SignsOf(const job::CsvSource& source);
// Returns InvalidArgument if one of them is not a character that can be such.
Status CheckSigns(const job::CsvSource& source);

// Not thread-safe.
class CsvRows {
 public:
  // `source`, `options` and `missing` must outlive this object. `labels` replaces options.labels.
  CsvRows(const job::CsvSource& source, std::vector<std::string> paths, LabelColumns labels,
          const ReadOptions& options, const MissingTexts& missing)
      : source_(source),
        paths_(std::move(paths)),
        labels_(labels),
        options_(options),
        missing_(missing) {}

  // Calls `visit` for each row after a header, one call at a time, in order. If options.threads
  // allows it, other threads meanwhile split later rows into fields, and parse their numbers after
  // WantNumbers(). Stops at the first error and returns it. Also returns the errors of
  // SourceFile::Open, CsvScanner::NextRow and FindColumns. Returns InvalidArgument if a file has no
  // row, or no row after its header. Also returns it if the header differs from that of the first
  // file, or if a row has another number of fields than the first row of the first file. If a file
  // seems to have another separator, this is reported instead of any InvalidArgument.
  Status ForEach(const std::function<Status()>& visit);
  void WantNumbers() { wants_numbers_ = true; }

  // The fields of the current row, valid in `visit`. Fields with decimal commas have been changed
  // to decimal points. Columns and names are those of the first file. They do not change, and
  // remain valid after ForEach.
  std::span<const std::string_view> fields() const { return fields_; }
  // The numbers in the fields of the features of the current row, valid in `visit`. Empty if they
  // are not parsed.
  struct Numbers {
    std::span<const double> values;       // as in ReadNumber
    std::span<const float> nearest;       // as in ReadNumber
    std::span<const uint8_t> are_parsed;  // 0 for missing values, texts and categories
    bool are_all_parsed = false;
  };
  const Numbers& numbers() const { return numbers_; }
  const CsvColumns& columns() const { return columns_; }
  const std::vector<std::string>& names() const { return names_; }  // empty without a header
  // Returns the reference to a column that a schema stores: its name, or its index from 0 if it has
  // none.
  job::Column PlaceOf(int64_t column) const;
  // Estimates the number of rows of all files from the length of the first rows. The estimate is
  // too small if files are compressed. REQUIRES: called in the first `visit`.
  int64_t EstimateRows() const;
  // Returns sentences about rows that the last ForEach skipped.
  std::vector<std::string> Warnings() const;
  int64_t index() const { return index_; }  // of the row among those of all files, from 0
  int64_t file() const { return file_; }    // index of its file, from 0
  // Returns InvalidArgument about a column of the current row (from 0; -1: the whole row). It names
  // the row and the column. REQUIRES: called in `visit`.
  Status Bad(int64_t column, std::string message, std::string remedy) const;
  Status Bad(int64_t column, const Status& without_place) const;
  // Returns InvalidArgument about a column as a whole.
  Status BadColumn(int64_t column, const Status& without_place) const;
  const std::string& first_path() const { return paths_.front(); }

 private:
  Status ForEachOf(const std::string& path, const std::function<Status()>& visit);
  // Rows on their way from the scanner to `visit`.
  struct Piece {
    CsvRowBatch batch;
    // As Numbers, [rows, features]; empty: not parsed. Numbers after a row of another number of
    // fields are not set.
    std::vector<double> values;
    std::vector<float> nearest;
    std::vector<uint8_t> are_parsed;
    std::vector<uint8_t> parsed_rows;  // [rows]: whether all numbers of the row are parsed
  };
  // Visit the rows of `first` and all rows after it.
  Status VisitInTurn(Piece first, const std::function<Status()>& visit);
  Status VisitInParallel(Piece first, int64_t threads, const std::function<Status()>& visit);
  Status VisitRows(Piece& piece, const std::function<Status()>& visit);
  bool ParsesNumbers() const;
  // Makes room for the numbers of all rows, if they are to be parsed.
  void BeginNumbers(Piece& piece) const;
  // Parses the numbers of the rows from `begin` to `end`.
  void ParseNumbers(Piece& piece, size_t begin, size_t end) const;
  struct Fields;
  void ParseFields(const Fields& fields, Piece& piece) const;
  // Makes a row of the piece the current row.
  void SetRow(Piece& piece, size_t number) {
    at_ = &piece;
    row_ = piece.batch.rows[number];
    fields_ = std::span(piece.batch.fields).subspan(row_.begin, row_.end - row_.begin);
    numbers_ = {};
    if (piece.parsed_rows.empty()) return;
    const size_t features = columns_.features.size(), at = number * features;
    numbers_ = {.values = std::span(piece.values).subspan(at, features),
                .nearest = std::span(piece.nearest).subspan(at, features),
                .are_parsed = std::span(piece.are_parsed).subspan(at, features),
                .are_all_parsed = piece.parsed_rows[number] != 0};
  }
  Status BeginTable();
  Status CheckSameHeader() const;
  Status PutDecimalPoints();

  const job::CsvSource& source_;
  const std::vector<std::string> paths_;
  const LabelColumns labels_;
  const ReadOptions& options_;
  const MissingTexts& missing_;
  CsvScanner* scanner_ = nullptr;       // for the file that is being read
  std::vector<std::string> first_row_;  // of the first file; empty before it is read
  std::vector<std::string> names_;
  CsvColumns columns_;
  bool wants_numbers_ = false;
  Piece* at_ = nullptr;                 // has the current row
  CsvRowBatch::Row row_;                // the current row
  std::span<std::string_view> fields_;  // of the current row
  Numbers numbers_;                     // of the current row
  int64_t index_ = 0, file_ = 0;
  int64_t empty_rows_ = 0;  // rows of empty fields at the ends of the files
};

}  // namespace dl::dataset
