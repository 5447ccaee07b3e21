// Reads all rows of all files of a table once, and collects statistics of its columns.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "dataset/readers/table/csv_dialect.h"
#include "dataset/readers/table/missing_texts.h"
#include "dataset/readers/table/table_profile.h"
#include "dataset/schema.h"

namespace dl::dataset {

struct SurveyOptions {
  DialectHints dialect;
  std::vector<std::string> missing_values;  // as in job::CsvSource
  // Schema of a trained model, for counting unknown categories; null: none. Must outlive the
  // survey.
  const Schema* known = nullptr;
  int64_t memory_bytes = int64_t{64} << 20;  // for the counts of distinct values
  int64_t threads = 0;  // threads that collect statistics; 0: one for each core, at most 16
};

// The first row of each file may be a header, so it is not counted before AddFirstRows() is called.
class TableSurvey {
 public:
  struct Row {
    std::vector<std::string> fields;
    RowPlace place;
  };

  // Reads the table. `name` is a path or a pattern. Returns the errors of SourcePaths, and of
  // FindDialect and CsvScanner::NextRow for each file. Returns InvalidArgument for a row whose
  // number of fields differs from that of the first row, for files with different separators, and
  // for a file with comments alone.
  static StatusOr<TableSurvey> Read(const std::string& name, const SurveyOptions& options);

  // Counts the first row of each file as a row of data, after all other rows. Must be called if the
  // first rows are not headers.
  void AddFirstRows();

  const CsvDialect& dialect() const { return dialect_; }
  const std::string& first_path() const { return first_rows_.front().place.path; }
  size_t files() const { return first_rows_.size(); }
  const std::vector<std::string>& first_row() const { return first_rows_.front().fields; }
  // Returns whether the first rows of all files are equal.
  bool AllFilesBeginAlike() const;
  int64_t rows() const { return rows_; }
  std::vector<ColumnProfile>& columns() { return columns_; }
  // For each column, the number of counted values that equal the text in the first row.
  const std::vector<int64_t>& same_as_first() const { return same_as_first_; }
  // The first later row with the fields of the first row, in this or another order; and the number
  // of later rows with these fields in the same order. Both are found only in tables of at least
  // two columns, and not if all fields of the first row are numbers, which may be values.
  const std::optional<RowPlace>& repeated_names() const { return repeated_names_; }
  int64_t repeats_of_first() const { return repeats_of_first_; }
  // The first row without any value, and the number of such rows.
  const std::optional<RowPlace>& empty_row() const { return empty_row_; }
  int64_t empty_rows() const { return empty_rows_; }
  const MissingTexts& missing_texts() const { return *missing_; }

 private:
  TableSurvey() = default;
  Status ReadFile(const std::string& path, const SurveyOptions& options);
  void Begin(const SurveyOptions& options);
  // Check and count the rows of a batch: the first row of a file, all rows, and the fields of some
  // columns. AddColumns may run for different columns at the same time.
  void AddFirstRow(const CsvRowBatch& batch, const std::string& path, const SurveyOptions& options);
  void AddRows(const CsvRowBatch& batch, const std::string& path);
  void AddColumns(const CsvRowBatch& batch, const std::string& path, size_t begin, size_t end);
  void LookForNames(const CsvRowBatch& batch, const CsvRowBatch::Row& at, const std::string& path);

  CsvDialect dialect_;
  std::unique_ptr<MissingTexts> missing_;  // the columns point to it
  std::vector<Row> first_rows_;            // first row of each file
  std::vector<ColumnProfile> columns_;
  std::vector<int64_t> same_as_first_;
  std::vector<std::string> sorted_names_;   // fields of the first row
  std::array<bool, 256> begins_name_ = {};  // whether a name begins with the character
  std::optional<RowPlace> repeated_names_, empty_row_;
  int64_t rows_ = 0, repeats_of_first_ = 0, empty_rows_ = 0;
};

}  // namespace dl::dataset
