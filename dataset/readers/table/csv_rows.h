// Iterates over the rows of a table's files, in order and as often as needed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/readers/table/csv_columns.h"
#include "dataset/readers/table/csv_scanner.h"
#include "job/sources/csv.h"

namespace dl::dataset {

// Returns the separator and comment characters of the source.
CsvSigns SignsOf(const job::CsvSource& source);

// Not thread-safe.
class CsvRows {
 public:
  // `source` and `training` must outlive this object. `training` may be null.
  CsvRows(const job::CsvSource& source, std::vector<std::string> paths, LabelColumns labels,
          const Schema* training)
      : source_(source), paths_(std::move(paths)), labels_(labels), training_(training) {}

  // Calls `visit` for each row after a header. Stops at the first error and returns it. Also
  // returns the errors of SourceFile::Open, CsvScanner::NextRow and FindColumns. Returns
  // InvalidArgument if a file is not a table, if its header differs, or if a row has another number
  // of fields. If a file seems to have another separator, this is reported instead of any
  // InvalidArgument.
  Status ForEach(const std::function<Status()>& visit);

  // The current row, for use in `visit`. Fields with decimal commas have been changed to decimal
  // points. Columns and names are those of the first file. They do not change, and remain valid
  // after ForEach.
  const std::vector<std::string>& fields() const { return fields_; }
  const CsvColumns& columns() const { return columns_; }
  const std::vector<std::string>& names() const { return names_; }  // empty without a header
  // Returns the reference to a column that a schema stores: its name, or its index from 0 if it has
  // none.
  job::Column PlaceOf(int64_t column) const;
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
  Status BeginTable();
  Status CheckSameHeader() const;
  Status PutDecimalPoints();

  const job::CsvSource& source_;
  const std::vector<std::string> paths_;
  const LabelColumns labels_;
  const Schema* const training_;
  CsvScanner* scanner_ = nullptr;       // for the file that is being read
  std::vector<std::string> first_row_;  // of the first file; empty before it is read
  std::vector<std::string> names_;
  CsvColumns columns_;
  std::vector<std::string> fields_;
  int64_t index_ = 0, file_ = 0;
};

}  // namespace dl::dataset
