// Inspects a meta store's folder before it is opened. Private to this folder.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "rocksdb/db.h"
#include "storage/mark_file.h"

namespace dl::storage {

struct MetaInspection {
  Status verdict;
  uint64_t table_index = 0;       // the last batch that is in table files and not only in the log
  bool lists_its_tables = false;  // can be opened for reading and lists all its table files
};

// Reads the log and every block of the tables. Changes nothing, so that an operator can examine the
// damage. `dir` is the store's folder, used in errors; `database` is the folder of its RocksDB.
MetaInspection InspectMeta(const std::string& dir, const std::string& database,
                           const rocksdb::Options& rocks, const MarkReading& mark);

// Returns DataLoss with the remedies for the operator.
Status LossError(std::string message, const std::string& dir);

// Returns the index of an open database, 0 if it has no batch.
StatusOr<uint64_t> ReadIndex(rocksdb::DB& db, const std::string& dir);

}  // namespace dl::storage
