// Inspects a meta store's folder before it is opened. Private to this folder.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "rocksdb/db.h"
#include "storage/mark_file.h"

namespace dl::storage {

struct MetaInspection {
  Status verdict;  // OK, or the error with which an open must fail: DataLoss if batches are lost
  uint64_t table_index = 0;  // the last batch that is in table files and not only in the log
  // The database can be opened for reading, and its list of files names all its table files.
  bool lists_its_tables = false;
};

// Reads the log and every block of the tables. Changes nothing, so that an operator can examine the
// damage. `dir` is the store's folder, used in errors; `database` is the folder of its RocksDB.
MetaInspection InspectMeta(const std::string& dir, const std::string& database,
                           const rocksdb::Options& rocks, const MarkReading& mark);

// Returns DataLoss with `message` and the remedies for the operator.
Status LossError(std::string message, const std::string& dir);

// Returns the index of an open database's last batch, or 0 if it has none. Returns DataLoss if it
// is damaged. `dir` is used in errors.
StatusOr<uint64_t> ReadIndex(rocksdb::DB& db, const std::string& dir);

}  // namespace dl::storage
