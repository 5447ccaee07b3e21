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

// Return the paths by file number, which is the order of creation: RocksDB numbers its files in
// ascending order, with leading zeros. Empty if the folder does not exist. Return errors of the
// file system.
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

// Ingests the table and unlinks the file. If all tables are at the bottom level and the new keys
// overlap none of them, as is usual in these stores, RocksDB only compares key ranges. Otherwise it
// reads the first value after the new keys, and damage there would make it refuse the table.
// REQUIRES: a database with allow_ingest_behind.
rocksdb::Status IngestTable(rocksdb::DB& db, const std::string& table);

// Returns the path of the first DIR/lost-N that does not exist, for files that are given up.
std::string UnusedLostFolder(const std::string& dir);

// As SystemError (base/system_error.h). Returns OK for no error.
Status FromError(const std::error_code& error, std::string_view action, const std::string& path);

}  // namespace dl::storage
