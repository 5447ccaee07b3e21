// Inspects a meta store's folder before it is opened. Private to this folder.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "rocksdb/db.h"
#include "storage/mark_file.h"

namespace dl::storage {

struct MetaInspection {
  // OK, or the error with which an open must fail. DataLoss if the database is damaged, if the mark
  // is damaged in every slot, or is missing although the database has batches, or if acknowledged
  // batches may be missing. Damage after the last acknowledged batch of the log is no error.
  Status verdict;
  // Index of the last batch in the table files. Later batches are only in the log. 0 if the tables
  // have no batch, or if the database or the index cannot be read.
  uint64_t table_index = 0;
  // Whether the database can be opened for reading and its list of files names every table file in
  // its folder.
  bool lists_its_tables = false;
};

// Reads the log and every block of the tables, and compares the last batch with `mark`, the store's
// high-water mark. Changes nothing, so that an operator can examine the damage. `dir` is the
// store's folder, used in errors; `database` is the folder of its RocksDB.
MetaInspection InspectMeta(const std::string& dir, const std::string& database,
                           const rocksdb::Options& rocks, const MarkReading& mark);

// Returns DataLoss with `message` and the remedies for the operator.
Status LossError(std::string message, const std::string& dir);

// Returns the index of an open database's last batch, or 0 if the database has no batch. Returns
// DataLoss if the stored index is damaged, and the errors of FromRocks. `dir` is used in errors.
StatusOr<uint64_t> ReadIndex(rocksdb::DB& db, const std::string& dir);

}  // namespace dl::storage
