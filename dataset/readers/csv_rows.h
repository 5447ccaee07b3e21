// The rows of a table's files, one file behind the other, as often as they are asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/readers/csv_columns.h"
#include "dataset/readers/csv_scanner.h"
#include "job/sources/csv.h"

namespace dl::dataset {

CsvSigns SignsOf(const job::CsvSource& source);

// Not thread-safe.
class CsvRows {
 public:
  // `source` and `training`, which may be null, outlive it.
  CsvRows(const job::CsvSource& source, std::vector<std::string> paths, LabelColumns labels,
          const Schema* training)
      : source_(source), paths_(std::move(paths)), labels_(labels), training_(training) {}

  // Calls `visit` for each row behind a header until it returns an error. Errors beside: what is
  // wrong with a file as a table, its header or the number of fields of a row; of a file that looks
  // separated by another character, that it does, whatever `visit` stumbled over.
  Status ForEach(const std::function<Status()>& visit);

  // For `visit`; columns and names are those of the first file, and stay.
  const std::vector<std::string>& fields() const { return fields_; }
  const CsvColumns& columns() const { return columns_; }
  const std::vector<std::string>& names() const { return names_; }  // empty without a header
  // A column as a schema keeps it: by its name, or else by its index from 0.
  job::Column PlaceOf(int64_t column) const;
  int64_t index() const { return index_; }  // of the row, from 0
  int64_t file() const { return file_; }    // that it stands in, from 0
  // An error at a column of the row (from 0; -1: the row as a whole), which it names.
  Status Bad(int64_t column, std::string message, std::string remedy) const;
  Status Bad(int64_t column, const Status& without_place) const;
  // One of the column, wherever its rows stand.
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
  CsvScanner* scanner_ = nullptr;       // of the file that is read
  std::vector<std::string> first_row_;  // of the first file; empty until it was read
  std::vector<std::string> names_;
  CsvColumns columns_;
  std::vector<std::string> fields_;
  int64_t index_ = 0, file_ = 0;
};

}  // namespace dl::dataset
