#include "storage/meta_salvage.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

#include "base/files.h"
#include "base/log.h"
#include "rocksdb/db.h"
#include "rocksdb/write_batch.h"
#include "storage/database_files.h"
#include "storage/free_space.h"
#include "storage/log_chain.h"
#include "storage/meta_inspection.h"
#include "storage/rocks_status.h"

namespace dl::storage {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCannotSalvageMeta = "cannot salvage the meta store";
constexpr std::string_view kSalvageMeta = "salvage the meta store";
constexpr size_t kBatchBytes = 1 << 20;

// Folders beside db/: a copy under repair, a new database in progress, and a complete new database.
std::string Repaired(const std::string& dir) { return dir + "/repaired"; }
std::string Rebuilding(const std::string& dir) { return dir + "/rebuilding"; }
std::string Rebuilt(const std::string& dir) { return dir + "/rebuilt"; }

Status LossOfEverything(const std::string& dir) {
  return DataLoss({.message = "no record of the meta store can be read; nothing was changed",
                   .where = dir,
                   .remedy = "Restore the folder from a copy."});
}

StatusOr<int64_t> BytesOf(const std::string& folder) {
  int64_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->is_regular_file(error)) bytes += static_cast<int64_t>(it->file_size(error));
  }
  DL_RETURN_IF_ERROR(FromError(error, kSalvageMeta, folder));
  return bytes;
}

void RemoveLeftovers(const std::string& dir) {
  std::error_code error;
  if (!fs::exists(dir + "/db", error)) return;  // the rebuilt database is still to become db/
  for (const std::string& folder : {Repaired(dir), Rebuilding(dir), Rebuilt(dir)})
    fs::remove_all(folder, error);
}

// Removes the leftovers of a salvage that fails.
class SalvageFolders {
 public:
  explicit SalvageFolders(std::string dir) : dir_(std::move(dir)) {}
  ~SalvageFolders() { RemoveLeftovers(dir_); }

 private:
  std::string dir_;
};

Status Copy(const fs::path& file, const std::string& into) {
  std::error_code error;
  fs::copy_file(file, into + "/" + file.filename().string(), error);
  return FromError(error, kSalvageMeta, file.string());
}

// Makes a database that can be opened from the tables and logs of one that cannot. The logs are
// copied after the repair, because RepairDB would read on after a damaged record without reporting
// it.
Status Repair(const std::string& old, const rocksdb::Options& rocks, const std::string& repaired) {
  DL_RETURN_IF_ERROR(CreateFolders(repaired));
  DL_ASSIGN_OR_RETURN(const std::vector<fs::path> tables, TableFiles(old));
  for (const fs::path& table : tables) DL_RETURN_IF_ERROR(Copy(table, repaired));
  DL_RETURN_IF_ERROR(FromRocks(rocksdb::RepairDB(repaired, rocks), kCannotSalvageMeta, repaired));
  DL_ASSIGN_OR_RETURN(const std::vector<fs::path> logs, LogFiles(old));
  for (const fs::path& log : logs) DL_RETURN_IF_ERROR(Copy(log, repaired));
  return absl::OkStatus();
}

// Collects records and writes them in batches.
class RecordWriter {
 public:
  explicit RecordWriter(rocksdb::DB& db) : db_(db) { unlogged_.disableWAL = true; }
  rocksdb::Status Put(const rocksdb::Slice& key, const rocksdb::Slice& value) {
    rocksdb::Status status = batch_.Put(key, value);
    if (status.ok() && batch_.GetDataSize() >= kBatchBytes) status = Write();
    return status;
  }
  rocksdb::Status Write() {
    const rocksdb::Status status = db_.Write(unlogged_, &batch_);
    batch_.Clear();
    return status;
  }

 private:
  rocksdb::DB& db_;
  rocksdb::WriteOptions unlogged_;
  rocksdb::WriteBatch batch_;
};

// Copies every readable record: forward from the first to a damaged block, then backward from the
// last to the damage.
rocksdb::Status CopyRecords(rocksdb::DB& from, RecordWriter& to) {
  const std::unique_ptr<rocksdb::Iterator> at(from.NewIterator(rocksdb::ReadOptions()));
  std::string last;
  for (at->SeekToFirst(); at->Valid(); at->Next()) {
    last = at->key().ToString();
    if (rocksdb::Status put = to.Put(at->key(), at->value()); !put.ok()) return put;
  }
  if (at->status().ok()) return rocksdb::Status::OK();
  const std::string why = at->status().ToString();
  std::string behind;
  for (at->SeekToLast(); at->Valid() && at->key().compare(last) > 0; at->Prev()) {
    behind = at->key().ToString();
    if (rocksdb::Status put = to.Put(at->key(), at->value()); !put.ok()) return put;
  }
  LogWarning("records of the meta store between \"", last, "\" and \"", behind,
             "\" cannot be read and are lost: ", why);
  return rocksdb::Status::OK();
}

// Copies everything in `source` to a new database. Returns the index of its last batch.
StatusOr<uint64_t> Rebuild(const std::string& dir, const std::string& source,
                           const rocksdb::Options& rocks, const MarkReading& mark) {
  const MetaInspection found = InspectMeta(dir, source, rocks, mark);
  LogCut cut(found.table_index);
  rocksdb::Options look = rocks;
  look.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  look.wal_filter = &cut;
  std::unique_ptr<rocksdb::DB> from;
  if (const rocksdb::Status opened = OpenForReading(look, source, &from); !opened.ok())
    return IsDamage(opened) ? found.verdict : FromRocks(opened, kCannotSalvageMeta, source);
  StatusOr<uint64_t> index = ReadIndex(*from, dir);
  if (!index.ok()) index = mark.index.value_or(0);  // unreadable; the mark is an upper bound
  if (*index == 0) return LossOfEverything(dir);

  rocksdb::DB* raw = nullptr;
  DL_RETURN_IF_ERROR(
      FromRocks(rocksdb::DB::Open(rocks, Rebuilding(dir), &raw), kCannotSalvageMeta, dir));
  const std::unique_ptr<rocksdb::DB> db(raw);
  RecordWriter to(*db);
  rocksdb::Status status = CopyRecords(*from, to);
  if (status.ok()) status = to.Put(kIndexKey, EncodeIndex(*index));
  if (status.ok()) status = to.Put(kLossKey, "1");
  if (status.ok()) status = to.Write();
  if (status.ok()) status = db->Flush(rocksdb::FlushOptions());
  if (status.ok()) status = db->Close();
  DL_RETURN_IF_ERROR(FromRocks(status, kCannotSalvageMeta, dir));
  return index;
}

Status Rename(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::rename(from, to, error);
  return FromError(error, kSalvageMeta, to);
}

Status SetAside(const std::string& dir, const std::string& aside) {
  DL_RETURN_IF_ERROR(CreateFolders(aside));
  std::error_code error;
  Status status;
  if (fs::exists(dir + "/MARK", error)) status = Copy(dir + "/MARK", aside);
  if (status.ok()) status = SyncFolder(aside);
  if (status.ok()) status = Rename(dir + "/db", aside + "/db");
  if (!status.ok()) fs::remove_all(aside, error);
  return status;
}

}  // namespace

Status SalvageMeta(const std::string& dir, const rocksdb::Options& rocks, const MarkReading& mark) {
  const std::string old = dir + "/db";
  std::error_code error;
  if (!fs::exists(old, error)) return LossOfEverything(dir);
  RemoveLeftovers(dir);
  const SalvageFolders workplace(dir);
  DL_ASSIGN_OR_RETURN(const int64_t bytes, BytesOf(old));
  DL_RETURN_IF_ERROR(RequireFreeBytes(dir, 2 * bytes));
  std::string source = old;
  if (!InspectMeta(dir, old, rocks, mark).lists_its_tables) {
    source = Repaired(dir);
    DL_RETURN_IF_ERROR(Repair(old, rocks, source));
  }
  DL_ASSIGN_OR_RETURN(const uint64_t index, Rebuild(dir, source, rocks, mark));
  DL_RETURN_IF_ERROR(SyncFolder(Rebuilding(dir)));
  const std::string aside = UnusedLostFolder(dir);
  DL_RETURN_IF_ERROR(Rename(Rebuilding(dir), Rebuilt(dir)));
  DL_RETURN_IF_ERROR(SyncFolder(dir));
  DL_RETURN_IF_ERROR(SetAside(dir, aside));
  if (const Status placed = FinishMetaSalvage(dir); !placed.ok()) {
    if (Rename(aside + "/db", old).ok()) {
      std::error_code ignored;
      fs::remove_all(aside, ignored);
    }
    return placed;
  }
  LogWarning("rebuilt the meta store ", dir, " up to batch ", index, "; its high-water mark is ",
             mark.index ? std::to_string(*mark.index) : "unreadable",
             ". Later batches are lost; the old files are in ", aside);
  return absl::OkStatus();
}

Status FinishMetaSalvage(const std::string& dir) {
  std::error_code error;
  if (!fs::exists(dir + "/db", error) && fs::exists(Rebuilt(dir), error)) {
    DL_RETURN_IF_ERROR(Rename(Rebuilt(dir), dir + "/db"));
    return SyncFolder(dir);
  }
  RemoveLeftovers(dir);
  return absl::OkStatus();
}

}  // namespace dl::storage
