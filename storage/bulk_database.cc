#include "storage/bulk_database.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/closed_folder.h"
#include "base/files.h"
#include "base/mutex.h"
#include "base/open_files.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/table.h"
#include "storage/bulk_inspection.h"
#include "storage/bulk_salvage.h"
#include "storage/database_files.h"
#include "storage/folder_lock.h"
#include "storage/free_space.h"
#include "storage/rocks_status.h"
#include "storage/store_env.h"
#include "storage/store_format.h"

namespace dl::storage {
namespace {

// Since schema 2, a table holds many blobs (storage/blob_table.h).
StoreFormat FormatOf(std::string_view kind) { return {.kind = kind, .schema = 2, .oldest = 1}; }

rocksdb::Options DatabaseOptions(rocksdb::Env* env) {
  rocksdb::BlockBasedTableOptions table;
  table.no_block_cache = true;
  // Each value is in a block of its own, so that damage affects only one value.
  table.block_size = 1;
  table.checksum = rocksdb::kXXH3;
  table.format_version = 5;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));

  rocksdb::Options rocks;
  if (env != nullptr) rocks.env = env;
  rocks.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  rocks.create_if_missing = true;
  rocks.compression = rocksdb::kNoCompression;
  rocks.disable_auto_compactions = true;
  rocks.allow_ingest_behind = true;  // storage/database_files.h
  rocks.level0_slowdown_writes_trigger =
      1 << 30;  // many files are intended; nothing goes through the memtable
  rocks.level0_stop_writes_trigger = 1 << 30;
  rocks.max_open_files = static_cast<int>(TableFilesOf(RaiseOpenFileLimit()));
  rocks.table_cache_numshardbits = 2;  // few shards, because each rounds its capacity up
  rocks.max_manifest_file_size = 16 << 20;
  rocks.max_bgerror_resume_count = 0;
  rocks.keep_log_file_num = 2;
  rocks.info_log_level = rocksdb::InfoLogLevel::WARN_LEVEL;
  rocks.stats_dump_period_sec = 0;
  rocks.stats_persist_period_sec = 0;
  rocks.allow_fallocate = false;  // see storage/rocks_meta_store.cc
  return rocks;
}

rocksdb::ReadOptions ColdRead() {
  rocksdb::ReadOptions read;
  read.fill_cache = false;
  read.verify_checksums = true;
  return read;
}

class SstTableWriter final : public TableWriter {
 public:
  SstTableWriter(rocksdb::SstFileWriter& writer, const std::string& dir)
      : writer_(writer), dir_(dir) {}
  Status Add(std::string_view key, std::span<const std::byte> value) override {
    empty_ = false;
    const rocksdb::Slice bytes(reinterpret_cast<const char*>(value.data()), value.size());
    return FromRocks(writer_.Put(key, bytes), "cannot write a table file", dir_);
  }
  bool empty() const { return empty_; }

 private:
  rocksdb::SstFileWriter& writer_;
  const std::string& dir_;
  bool empty_ = true;
};

// Deletes a file of staging/, if it still exists, when it goes out of scope.
class StagedFile {
 public:
  explicit StagedFile(std::string path) : path_(std::move(path)) {}
  ~StagedFile() {
    std::error_code ignored;  // a remaining file is deleted at the next open
    std::filesystem::remove(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

struct BulkDatabase::State {
  // Shared: a reader keeps a database that was closed after an error until its own call ends.
  using Handle = std::shared_ptr<rocksdb::DB>;

  std::string dir;
  BulkOptions options;
  FileDescriptor lock;
  std::unique_ptr<rocksdb::Env> env;
  rocksdb::Options rocks;

  Mutex mutex;
  Handle db DL_GUARDED_BY(mutex);
  uint64_t next_file DL_GUARDED_BY(mutex) = 0;

  StatusOr<Handle> Use() DL_EXCLUDES(mutex) {
    MutexLock hold(mutex);
    if (db) return db;
    std::unique_ptr<rocksdb::DB> fresh;
    rocksdb::DB* raw = nullptr;
    const rocksdb::Status opened = options.read_only ? OpenForReading(rocks, dir + "/db", &fresh)
                                                     : rocksdb::DB::Open(rocks, dir + "/db", &raw);
    if (IsDamage(opened)) return BulkDamage(opened.ToString(), dir);
    if (!opened.ok()) return FromRocks(opened, "cannot open the bulk database", dir);
    if (raw != nullptr) fresh.reset(raw);
    db = std::move(fresh);
    return db;
  }
  // Closes the database after a failed change of its files: only a new open shows what is on disk.
  void CloseAfterError() DL_EXCLUDES(mutex) {
    Handle closing;  // declared before the lock, so that the database is closed without it
    MutexLock hold(mutex);
    closing.swap(db);
  }
  std::string NextStagedPath() DL_EXCLUDES(mutex) {
    MutexLock hold(mutex);
    return dir + "/staging/" + std::to_string(next_file++) + ".sst";
  }
};

BulkDatabase::BulkDatabase(std::unique_ptr<State> state) : state_(std::move(state)) {}
BulkDatabase::~BulkDatabase() = default;
const std::string& BulkDatabase::dir() const { return state_->dir; }

StatusOr<std::unique_ptr<BulkDatabase>> BulkDatabase::Open(const std::string& dir,
                                                           std::string_view kind,
                                                           const BulkOptions& options) {
  const StoreFormat format = FormatOf(kind);
  DL_RETURN_IF_ERROR(CheckFormat(dir, format));
  DL_RETURN_IF_ERROR(CreateClosedFolder(dir));
  auto state = std::make_unique<State>();
  state->dir = dir;
  state->options = options;
  DL_ASSIGN_OR_RETURN(state->lock, LockFolder(dir));
  state->env = NewStoreEnv({.drop_unsynced_on_kill = options.drop_unsynced_on_kill});
  state->rocks = DatabaseOptions(state->env.get());
  const StatusOr<BulkFindings> found = InspectBulk(dir, format, state->rocks);
  const bool salvages = absl::IsDataLoss(found.status()) && options.accept_loss;
  if (!salvages) DL_RETURN_IF_ERROR(found.status());
  if (options.read_only) {
    DL_RETURN_IF_ERROR(state->Use().status());
    if (options.shared) state->lock = FileDescriptor();
    return std::unique_ptr<BulkDatabase>(new BulkDatabase(std::move(state)));
  }
  if (salvages) DL_RETURN_IF_ERROR(RequireFormat(dir, format));
  DL_RETURN_IF_ERROR(EnsureFormat(dir, format));
  std::error_code ignored;  // if the folder cannot be emptied, the first write fails
  std::filesystem::remove_all(dir + "/staging", ignored);
  DL_RETURN_IF_ERROR(CreateClosedFolder(dir + "/staging"));
  DL_RETURN_IF_ERROR(FinishSalvage(dir));
  if (salvages) DL_RETURN_IF_ERROR(SalvageDatabase(dir, state->rocks));
  if (found.ok()) DL_RETURN_IF_ERROR(KeepUnlisted(dir, *found));
  StatusOr<State::Handle> opened = state->Use();
  if (absl::IsDataLoss(opened.status()) && options.accept_loss) {  // not seen by the inspection
    DL_RETURN_IF_ERROR(SalvageDatabase(dir, state->rocks));
    opened = state->Use();
  }
  DL_RETURN_IF_ERROR(opened.status());
  DL_RETURN_IF_ERROR(CreateClosedFolder(dir + "/db"));
  DL_RETURN_IF_ERROR(IngestUnlisted(dir, **opened));
  DL_RETURN_IF_ERROR(SyncFolder(dir));
  return std::unique_ptr<BulkDatabase>(new BulkDatabase(std::move(state)));
}

StatusOr<BulkDatabase::Content> BulkDatabase::ReadContent(const std::string& dir,
                                                          std::string_view kind,
                                                          const BulkOptions& options) {
  const StoreFormat format = FormatOf(kind);
  const StatusOr<BulkFindings> found = InspectBulk(dir, format, DatabaseOptions(nullptr));
  if (absl::IsDataLoss(found.status()) && options.accept_loss) {
    DL_RETURN_IF_ERROR(RequireFormat(dir, format));
    return Content::kTables;
  }
  DL_RETURN_IF_ERROR(found.status());
  if (!found->made) return Content::kNothing;
  return found->tables ? Content::kTables : Content::kNoTables;
}

Status BulkDatabase::Ingest(int64_t bytes, const std::function<Status(TableWriter&)>& fill,
                            Reserve reserve) {
  if (state_->options.read_only)
    return ResourceExhausted(
        {.message = "too little free space, so the data folder is open only for reading",
         .where = state_->dir,
         .remedy = "Free space on the disk that holds the data folder."});
  DL_ASSIGN_OR_RETURN(const State::Handle db, state_->Use());
  const int64_t left = reserve == Reserve::kKeep ? state_->options.min_free_bytes : 0;
  DL_RETURN_IF_ERROR(RequireFreeBytes(state_->dir, bytes + left));
  const StagedFile staged(state_->NextStagedPath());
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(state_->rocks), state_->rocks);
  DL_RETURN_IF_ERROR(
      FromRocks(writer.Open(staged.path()), "cannot create a table file", state_->dir));
  SstTableWriter table(writer, state_->dir);
  DL_RETURN_IF_ERROR(fill(table));
  if (table.empty()) return absl::OkStatus();
  DL_RETURN_IF_ERROR(FromRocks(writer.Finish(), "cannot finish a table file", state_->dir));

  const rocksdb::Status status = IngestTable(*db, staged.path());
  if (!status.ok()) state_->CloseAfterError();
  return FromRocks(status, "cannot take in a table file", state_->dir);
}

Status BulkDatabase::Read(std::string_view key,
                          const std::function<Status(std::string_view)>& use) {
  DL_ASSIGN_OR_RETURN(const State::Handle db, state_->Use());
  rocksdb::PinnableSlice value;
  const rocksdb::Status status = db->Get(ColdRead(), db->DefaultColumnFamily(), key, &value);
  if (status.IsNotFound())
    return NotFound({.message = "no such key in the bulk database", .where = state_->dir});
  DL_RETURN_IF_ERROR(FromRocks(status, "cannot read from the bulk database", state_->dir));
  return use(value.ToStringView());
}

StatusOr<bool> BulkDatabase::Has(std::string_view key) {
  const Status read = Read(key, [](std::string_view) { return absl::OkStatus(); });
  if (absl::IsNotFound(read)) return false;
  DL_RETURN_IF_ERROR(read);
  return true;
}

Status BulkDatabase::DropFiles(std::string_view begin, std::string_view end) {
  DL_ASSIGN_OR_RETURN(const State::Handle db, state_->Use());
  const rocksdb::Slice first = begin, last = end;
  const rocksdb::Status status = rocksdb::DeleteFilesInRange(db.get(), db->DefaultColumnFamily(),
                                                             &first, &last, /*include_end=*/false);
  if (!status.ok()) state_->CloseAfterError();
  return FromRocks(status, "cannot delete table files", state_->dir);
}

std::string BulkDatabase::NewLostFolder() const { return UnusedLostFolder(state_->dir); }

Status BulkDatabase::MoveFilesTo(std::string_view begin, std::string_view end,
                                 const std::string& folder) {
  DL_ASSIGN_OR_RETURN(const std::vector<TableFile> files, Files());
  for (const TableFile& file : files) {
    if (file.smallest_key < begin || file.largest_key >= end) continue;
    DL_RETURN_IF_ERROR(CreateFolders(folder));
    std::error_code error;
    std::filesystem::create_hard_link(state_->dir + "/db/" + file.name, folder + "/" + file.name,
                                      error);
    DL_RETURN_IF_ERROR(FromError(error, "set a table file aside", folder));
    DL_RETURN_IF_ERROR(SyncFolder(folder));
  }
  return DropFiles(begin, end);
}

StatusOr<std::vector<BulkDatabase::TableFile>> BulkDatabase::Files() {
  DL_ASSIGN_OR_RETURN(const State::Handle db, state_->Use());
  std::vector<rocksdb::LiveFileMetaData> live;
  db->GetLiveFilesMetaData(&live);
  std::vector<TableFile> files;
  for (const rocksdb::LiveFileMetaData& file : live)
    files.push_back({.name = std::filesystem::path(file.name).filename().string(),
                     .smallest_key = file.smallestkey,
                     .largest_key = file.largestkey,
                     .bytes = static_cast<int64_t>(file.size)});
  std::sort(files.begin(), files.end(),
            [](const TableFile& a, const TableFile& b) { return a.smallest_key < b.smallest_key; });
  return files;
}

}  // namespace dl::storage
