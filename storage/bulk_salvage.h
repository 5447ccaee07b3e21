// What is left of a bulk database that RocksDB refuses to open. Private to this folder.
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"
#include "rocksdb/db.h"

namespace dl::storage {

// Builds DIR/db anew of its table files, in the order in which they were taken in, so that the
// newer of two values of a key stays the newer. What cannot be read is left in DIR/lost-N,
// together with the old list of files, and logged by name. Of a table's content only the ends are
// read: a damaged value between them is found when somebody reads it, as always. Nothing is removed
// before its replacement is durable; a kill at any point leaves the old database or the new one.
// After an error the folder is as it was.
// REQUIRES: DIR is locked and its database closed.
Status SalvageDatabase(const std::string& dir, const rocksdb::Options& rocks);

// Takes one table into `db`, through the name `staged`. False, with nothing changed, when it cannot
// be read: then it is logged by name.
StatusOr<bool> TakeIn(rocksdb::DB& db, const std::filesystem::path& table,
                      const std::string& staged);

// Ends what a kill between the last two steps of a salvage left. REQUIRES: as above.
Status FinishSalvage(const std::string& dir);

}  // namespace dl::storage
