// The files of a RocksDB database as they lie in its folder: looked at, copied and put aside
// without asking the database. Private to this folder.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "rocksdb/db.h"

namespace dl::storage {

// By number, which is the order in which they came: RocksDB counts up, with leading zeros. Empty
// without the folder.
StatusOr<std::vector<std::filesystem::path>> TableFiles(const std::string& folder);
StatusOr<std::vector<std::filesystem::path>> LogFiles(const std::string& folder);

// Whether CURRENT, which names the list of files, is there: without it RocksDB begins a new
// database and deletes the files of the old one.
bool HasListOfFiles(const std::string& folder);

// The tables of the folder that `db`, open in it, does not know of.
StatusOr<std::vector<std::filesystem::path>> UnlistedTables(rocksdb::DB& db,
                                                            const std::string& folder);

// Opens it for reading; not a byte of the folder changes (RocksDB would begin a LOG).
rocksdb::Status OpenToLook(rocksdb::Options options, const std::string& folder,
                           std::unique_ptr<rocksdb::DB>* db);

// Takes the table in and unlinks it. Where no key has two values, which is so in all of our stores,
// it joins the others at the bottom: then RocksDB compares ranges and reads nothing. Otherwise it
// reads the first value behind the new keys, and a damaged one there would refuse every table that
// comes before it. REQUIRES: a database with allow_ingest_behind.
rocksdb::Status IngestTable(rocksdb::DB& db, const std::string& table);

// DIR/lost-N, the first that is not there: for what is given up.
std::string FreeAside(const std::string& dir);

// `error` as our status, saying that `action` failed; OK for none.
Status FromError(const std::error_code& error, std::string_view action, const std::string& path);

}  // namespace dl::storage
