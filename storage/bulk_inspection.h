// What a bulk database's folder says of itself before it is opened, and what it holds that its list
// of files does not know of. Private to this folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "rocksdb/db.h"
#include "storage/store_format.h"

namespace dl::storage {

struct BulkFindings {
  bool made = false;    // there is a database
  bool tables = false;  // with content
  // A list of files whose end was lost looks like a shorter one, and RocksDB deletes what it does
  // not name. So does a kill between the making of a table and its entry.
  std::vector<std::filesystem::path> unlisted;
};

// Opens it for reading; changes nothing. DataLoss when it cannot be opened; errors of CheckFormat.
StatusOr<BulkFindings> InspectBulk(const std::string& dir, const StoreFormat& format,
                                   const rocksdb::Options& rocks);

// Before the database is opened for writing: keeps its unlisted tables in DIR/unlisted.
Status KeepUnlisted(const std::string& dir, const BulkFindings& found);
// Behind it: takes in those whose keys are not there. What nobody names is collected as always;
// what cannot be read goes to DIR/lost-N. A repeat after a kill is harmless.
Status TakeInUnlisted(const std::string& dir, rocksdb::DB& db);

// DataLoss with the remedies that an operator has.
Status BulkDamage(const std::string& what, const std::string& dir);

}  // namespace dl::storage
