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
  bool made = false;    // a database exists, or an interrupted salvage of it
  bool tables = false;  // it has table files; assumed after an interrupted salvage
  // Table files that the list of files does not name. Either a kill came between creating a table
  // and listing it, or the list lost its end. RocksDB would delete these files.
  std::vector<std::filesystem::path> unlisted;
};

// Opens the database for reading and changes nothing. Returns DataLoss if it or its FORMAT is
// damaged or incomplete. Also returns the other errors of CheckFormat, and errors of RocksDB and of
// the file system.
StatusOr<BulkFindings> InspectBulk(const std::string& dir, const StoreFormat& format,
                                   const rocksdb::Options& rocks);

// Creates hard links to the unlisted tables in DIR/unlisted, so that RocksDB cannot delete their
// content. Must be called before the database is opened for writing. Returns errors of the file
// system.
Status KeepUnlisted(const std::string& dir, const BulkFindings& found);

// Empties and removes the folder DIR/unlisted, if it exists:
//   - Moves a table that cannot be read to the first DIR/lost-N that does not exist.
//   - Deletes a table whose first key is in `db`, because it is a duplicate.
//   - Ingests every other table. Content that no record of the meta store names is collected later,
//     as usual.
// Must be called after the database is opened for writing, while DIR/staging exists. May be
// repeated after a kill. Returns errors of RocksDB and of the file system.
Status IngestUnlisted(const std::string& dir, rocksdb::DB& db);

// Returns DataLoss with the message `what` and the remedies for the operator.
Status BulkDamage(const std::string& what, const std::string& dir);

}  // namespace dl::storage
