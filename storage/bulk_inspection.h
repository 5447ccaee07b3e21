// Inspects a bulk database's folder before it is opened, and recovers table files that the
// database's list of files does not name. Private to this folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "rocksdb/db.h"
#include "storage/store_format.h"

namespace dl::storage {

struct BulkFindings {
  bool made = false;    // a database exists
  bool tables = false;  // it has table files
  // Table files that the list of files does not name. Either a kill came between creating a table
  // and listing it, or the list lost its end. RocksDB would delete these files.
  std::vector<std::filesystem::path> unlisted;
};

// Opens the database for reading and changes nothing. Returns DataLoss if it or its FORMAT is
// damaged or incomplete, the other errors of CheckFormat, and errors of the file system.
StatusOr<BulkFindings> InspectBulk(const std::string& dir, const StoreFormat& format,
                                   const rocksdb::Options& rocks);

// Keeps the unlisted tables in DIR/unlisted. Must be called before the database is opened for
// writing. This and the next function return errors of the file system.
Status KeepUnlisted(const std::string& dir, const BulkFindings& found);
// Ingests the tables in DIR/unlisted whose first key is missing in `db`. The others are duplicates
// and are deleted. Must be called after the database is opened for writing. Unreadable tables are
// moved to DIR/lost-N. Ingested content that no record names is collected as usual. May be repeated
// after a kill.
Status IngestUnlisted(const std::string& dir, rocksdb::DB& db);

// Returns DataLoss with the remedies for the operator.
Status BulkDamage(const std::string& what, const std::string& dir);

}  // namespace dl::storage
