// Rebuilds a bulk database that RocksDB refuses to open. Private to this folder.
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"
#include "rocksdb/db.h"

namespace dl::storage {

// Rebuilds DIR/db from its table files, in the order in which they were created, so that the newer
// of two values of a key wins. Unreadable files remain in DIR/lost-N with the old list of files and
// are logged by name. Only the ends of a table are read here; damaged values between them are
// detected when they are read. Files are removed only after their replacement is durable: a kill
// leaves the old or the new database. After an error the old database is in place, or FinishSalvage
// puts the new database there. All functions here return errors of the file system and of RocksDB.
// REQUIRES: DIR is locked, its database is closed, and the folder DIR/staging exists.
Status SalvageDatabase(const std::string& dir, const rocksdb::Options& rocks);

// Ingests a hard link to `table` into `db`. `staged` is an unused path for the link on the same
// file system. The file `table` remains. Returns false, logs the table and changes nothing if the
// table cannot be read.
StatusOr<bool> IngestIfReadable(rocksdb::DB& db, const std::filesystem::path& table,
                                const std::string& staged);

// Completes a salvage that a kill or an error interrupted before its last step; else does nothing.
// REQUIRES: DIR is locked and its database is closed.
Status FinishSalvage(const std::string& dir);

}  // namespace dl::storage
