#include "storage/bulk_salvage.h"

#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "base/files.h"
#include "base/log.h"
#include "rocksdb/db.h"
#include "rocksdb/sst_file_reader.h"
#include "storage/database_files.h"
#include "storage/rocks_status.h"

namespace dl::storage {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCannotSalvageBulk = "cannot salvage the bulk database";
constexpr std::string_view kSalvageBulk = "salvage the bulk database";

Status WhileSalvaging(const std::error_code& error, const std::string& path) {
  return FromError(error, kSalvageBulk, path);
}

// Checks that the index, the first and the last block can be read. RocksDB does not check this when
// it ingests a table; it would treat a damaged table as one without keys.
rocksdb::Status Readable(const rocksdb::Options& rocks, const std::string& table) {
  rocksdb::SstFileReader reader(rocks);
  if (rocksdb::Status opened = reader.Open(table); !opened.ok()) return opened;
  const std::unique_ptr<rocksdb::Iterator> keys(reader.NewIterator(rocksdb::ReadOptions()));
  keys->SeekToFirst();
  if (keys->Valid()) keys->SeekToLast();
  if (keys->Valid()) return rocksdb::Status::OK();
  return keys->status().ok() ? rocksdb::Status::Corruption("it has no keys") : keys->status();
}

}  // namespace

StatusOr<bool> IngestIfReadable(rocksdb::DB& db, const fs::path& table, const std::string& staged) {
  std::error_code error;
  fs::create_hard_link(table, staged, error);  // because ingesting unlinks the file
  if (error) return WhileSalvaging(error, staged);
  rocksdb::Status status = Readable(db.GetOptions(), staged);
  if (status.ok()) status = IngestTable(db, staged);
  fs::remove(staged, error);
  if (status.IsCorruption() || status.IsInvalidArgument() || status.IsNotSupported()) {
    LogWarning("table file ", table.string(), " is damaged and not kept: ", status.ToString());
    return false;
  }
  DL_RETURN_IF_ERROR(FromRocks(status, kCannotSalvageBulk, table.string()));
  return true;
}

namespace {

// Ingests those of `tables` that can be read into a new database. Returns their names.
StatusOr<std::vector<fs::path>> Rebuild(const std::string& dir, const std::string& rebuilt,
                                        const std::vector<fs::path>& tables,
                                        const rocksdb::Options& rocks) {
  std::vector<fs::path> kept;
  rocksdb::DB* raw = nullptr;
  DL_RETURN_IF_ERROR(
      FromRocks(rocksdb::DB::Open(rocks, rebuilt, &raw), kCannotSalvageBulk, rebuilt));
  const std::unique_ptr<rocksdb::DB> db(raw);
  for (const fs::path& table : tables) {
    DL_ASSIGN_OR_RETURN(const bool taken,
                        IngestIfReadable(*db, table, dir + "/staging/salvaged.sst"));
    if (taken) kept.push_back(table.filename());
  }
  DL_RETURN_IF_ERROR(FromRocks(db->Close(), kCannotSalvageBulk, rebuilt));
  DL_RETURN_IF_ERROR(SyncFolder(rebuilt));
  return kept;
}

}  // namespace

Status SalvageDatabase(const std::string& dir, const rocksdb::Options& rocks) {
  const std::string old = dir + "/db", rebuilt = dir + "/rebuilt", aside = UnusedLostFolder(dir);
  std::error_code error;
  fs::remove_all(rebuilt, error);  // left by a salvage that was interrupted
  if (error) return WhileSalvaging(error, rebuilt);
  DL_ASSIGN_OR_RETURN(const std::vector<fs::path> tables, TableFiles(old));
  const StatusOr<std::vector<fs::path>> kept = Rebuild(dir, rebuilt, tables, rocks);
  Status status = kept.status();
  if (status.ok()) {
    fs::rename(old, aside, error);
    status = WhileSalvaging(error, aside);
  }
  if (!status.ok()) {
    fs::remove_all(rebuilt, error);
    return status;
  }
  DL_RETURN_IF_ERROR(FinishSalvage(dir));
  // The new database has these files. Their old names would only keep the space in use.
  for (const fs::path& name : *kept) fs::remove(aside / name, error);
  LogWarning("rebuilt the database of ", dir, ": kept ", kept->size(), " of ", tables.size(),
             " table files; the damaged files are in ", aside);
  return absl::OkStatus();
}

Status FinishSalvage(const std::string& dir) {
  std::error_code error;
  if (fs::exists(dir + "/db", error) || error) return WhileSalvaging(error, dir + "/db");
  if (!fs::exists(dir + "/rebuilt", error)) return WhileSalvaging(error, dir + "/rebuilt");
  fs::rename(dir + "/rebuilt", dir + "/db", error);
  if (error) return WhileSalvaging(error, dir + "/db");
  return SyncFolder(dir);
}

}  // namespace dl::storage
