// What a meta store's folder says of itself before it is opened. Private to this folder.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "rocksdb/db.h"
#include "storage/mark_file.h"

namespace dl::storage {

struct MetaInspection {
  Status verdict;
  uint64_t table_index = 0;       // the last batch that is in table files, not only in the log
  bool lists_its_tables = false;  // it can be opened for reading, and knows of all of its tables
};

// Reads the log and every block of the tables without changing anything, so that the evidence stays
// for the operator. `dir`: the store's, which errors name; `database`: where its RocksDB is.
MetaInspection InspectMeta(const std::string& dir, const std::string& database,
                           const rocksdb::Options& rocks, const MarkReading& mark);

// DataLoss with the remedies that an operator has.
Status LossError(std::string message, const std::string& dir);

// The index in an open database: 0 in one without a batch.
StatusOr<uint64_t> ReadIndex(rocksdb::DB& db, const std::string& dir);

}  // namespace dl::storage
