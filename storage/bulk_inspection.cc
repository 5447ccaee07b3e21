#include "storage/bulk_inspection.h"

#include <memory>
#include <system_error>

#include "base/files.h"
#include "base/log.h"
#include "rocksdb/sst_file_reader.h"
#include "storage/bulk_salvage.h"
#include "storage/database_files.h"
#include "storage/rocks_status.h"

namespace dl::storage {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKeepTable = "keep a table of the bulk database";

std::string UnlistedFolder(const std::string& dir) { return dir + "/unlisted"; }

bool HasFirstKeyOf(const std::string& table, rocksdb::DB& db) {
  rocksdb::SstFileReader reader(db.GetOptions());
  if (!reader.Open(table).ok()) return false;
  const std::unique_ptr<rocksdb::Iterator> keys(reader.NewIterator(rocksdb::ReadOptions()));
  keys->SeekToFirst();
  if (!keys->Valid()) return false;
  rocksdb::PinnableSlice value;
  return db.Get(rocksdb::ReadOptions(), db.DefaultColumnFamily(), keys->key(), &value).ok();
}

}  // namespace

Status BulkDamage(const std::string& what, const std::string& dir) {
  return DataLoss(
      {.message = "cannot open the bulk database: " + what,
       .where = dir,
       .remedy = "Restore the folder from a copy; or start the master with --accept-loss, which "
                 "keeps every readable table file. Jobs then recompute the rounds after their last "
                 "readable checkpoint, and importing a dataset again restores its missing blocks"});
}

StatusOr<BulkFindings> InspectBulk(const std::string& dir, const StoreFormat& format,
                                   const rocksdb::Options& rocks) {
  DL_RETURN_IF_ERROR(CheckFormat(dir, format));
  const std::string database = dir + "/db";
  std::error_code ignored;
  if (!fs::exists(database, ignored) && fs::exists(dir + "/rebuilt", ignored))
    return BulkFindings{.made = true, .tables = true};  // a salvage without its last step
  DL_ASSIGN_OR_RETURN(const std::vector<fs::path> tables, TableFiles(database));
  const bool listed = HasListOfFiles(database);
  if (!listed && tables.empty()) return BulkFindings{};
  DL_RETURN_IF_ERROR(RequireFormat(dir, format));
  if (!listed) return BulkDamage("its list of files (db/CURRENT) is missing", dir);
  std::unique_ptr<rocksdb::DB> db;
  const rocksdb::Status opened = OpenForReading(rocks, database, &db);
  if (IsDamage(opened)) return BulkDamage(opened.ToString(), dir);
  DL_RETURN_IF_ERROR(FromRocks(opened, "cannot open the bulk database", dir));
  DL_ASSIGN_OR_RETURN(std::vector<fs::path> unlisted, UnlistedTables(*db, database));
  return BulkFindings{.made = true, .tables = !tables.empty(), .unlisted = std::move(unlisted)};
}

Status KeepUnlisted(const std::string& dir, const BulkFindings& found) {
  if (found.unlisted.empty()) return absl::OkStatus();
  const std::string folder = UnlistedFolder(dir);
  DL_RETURN_IF_ERROR(CreateFolders(folder));
  for (const fs::path& table : found.unlisted) {
    const fs::path kept = fs::path(folder) / table.filename();
    std::error_code error;
    fs::remove(kept, error);  // the same file, from an open that was interrupted
    fs::create_hard_link(table, kept, error);
    DL_RETURN_IF_ERROR(FromError(error, kKeepTable, kept.string()));
  }
  return SyncFolder(folder);
}

Status IngestUnlisted(const std::string& dir, rocksdb::DB& db) {
  const std::string folder = UnlistedFolder(dir);
  std::error_code error;
  if (!fs::exists(folder, error)) return absl::OkStatus();
  DL_ASSIGN_OR_RETURN(const std::vector<fs::path> tables, TableFiles(folder));
  for (const fs::path& table : tables) {
    if (!HasFirstKeyOf(table.string(), db)) {
      DL_ASSIGN_OR_RETURN(const bool taken,
                          IngestIfReadable(db, table, dir + "/staging/unlisted.sst"));
      if (taken) {
        LogWarning("table file ", table.filename().string(), " of ", dir,
                   " was not in the list of files and is added again");
      } else {
        const std::string aside = UnusedLostFolder(dir);
        DL_RETURN_IF_ERROR(CreateFolders(aside));
        fs::rename(table, fs::path(aside) / table.filename(), error);
        DL_RETURN_IF_ERROR(FromError(error, kKeepTable, aside));
        continue;
      }
    }
    fs::remove(table, error);
    DL_RETURN_IF_ERROR(FromError(error, kKeepTable, table.string()));
  }
  fs::remove(folder, error);
  return FromError(error, kKeepTable, folder);
}

}  // namespace dl::storage
