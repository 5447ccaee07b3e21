// The files of a RocksDB database in its folder, accessed without the database. Private to this
// folder.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "rocksdb/db.h"

namespace dl::storage {

// TableFiles returns the paths of the table files (*.sst), LogFiles the paths of the files of the
// write-ahead log (*.log). Paths are sorted by file number, which is the order of creation. Both
// return an empty list if the folder does not exist, and errors of the file system.
StatusOr<std::vector<std::filesystem::path>> TableFiles(const std::string& folder);
StatusOr<std::vector<std::filesystem::path>> LogFiles(const std::string& folder);

// Returns true if CURRENT, which names the list of files, exists. Without it RocksDB creates a new
// database and deletes the files of the old one.
bool HasListOfFiles(const std::string& folder);

// Returns the tables in the folder that `db`, which is open in it, does not know. Returns errors of
// the file system and of the database.
StatusOr<std::vector<std::filesystem::path>> UnlistedTables(rocksdb::DB& db,
                                                            const std::string& folder);

// Opens the database for reading without changing the folder: RocksDB's LOG file is suppressed.
// Sets `*db` to null after an error.
rocksdb::Status OpenForReading(rocksdb::Options options, const std::string& folder,
                               std::unique_ptr<rocksdb::DB>* db);

// Moves the table file `table` into the database, in which its values replace older values of the
// same keys. The path `table` then no longer exists. Usually, all tables of these stores are at the
// bottom level, and the new keys overlap none of them. RocksDB then only compares key ranges.
// Otherwise RocksDB reads the first value after the new keys, and refuses the table if that value
// is damaged. REQUIRES: `db` has the option allow_ingest_behind.
rocksdb::Status IngestTable(rocksdb::DB& db, const std::string& table);

// Returns the path of the first DIR/lost-N, for N = 1, 2, ..., that does not exist. It is meant for
// files that are given up. Does not create the folder.
std::string UnusedLostFolder(const std::string& dir);

// Converts `error` as SystemError does (base/system_error.h), with `path` as the place. Returns OK
// if it is no error.
Status FromError(const std::error_code& error, std::string_view action, const std::string& path);

}  // namespace dl::storage
