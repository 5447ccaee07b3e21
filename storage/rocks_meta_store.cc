#include "storage/rocks_meta_store.h"

#include <filesystem>
#include <system_error>

#include "base/files.h"
#include "base/mutex.h"
#include "rocksdb/db.h"
#include "rocksdb/write_batch.h"
#include "storage/folder_lock.h"
#include "storage/free_space.h"
#include "storage/log_chain.h"
#include "storage/mark_file.h"
#include "storage/rocks_status.h"
#include "storage/store_format.h"
#include "storage/unsynced_loss_env.h"

namespace dl::storage {
namespace {

constexpr StoreFormat kFormat{.kind = "meta", .schema = 1};
constexpr std::string_view kFirstUserKey("\x01", 1);

// What a batch takes of the disk: the log's copy and, later, the table's.
int64_t RoomFor(int64_t batch_bytes) { return 2 * batch_bytes + (int64_t{64} << 10); }

rocksdb::Slice ToSlice(std::string_view text) { return {text.data(), text.size()}; }

rocksdb::Options DatabaseOptions(const RocksMetaStoreOptions& options, rocksdb::Env* env) {
  rocksdb::Options rocks;
  if (env != nullptr) rocks.env = env;
  rocks.create_if_missing = true;
  rocks.write_buffer_size = options.write_buffer_bytes;
  rocks.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  rocks.max_bgerror_resume_count = 0;  // a failed write ends the process; nothing is retried
  rocks.max_manifest_file_size = 16 << 20;
  rocks.keep_log_file_num = 2;
  rocks.info_log_level = rocksdb::InfoLogLevel::WARN_LEVEL;
  rocks.stats_dump_period_sec = 0;
  rocks.stats_persist_period_sec = 0;
  rocks.compression = rocksdb::kNoCompression;
  return rocks;
}

StatusOr<uint64_t> ReadIndex(rocksdb::DB& db, const std::string& dir) {
  std::string bytes;
  const rocksdb::Status status = db.Get(rocksdb::ReadOptions(), ToSlice(kIndexKey), &bytes);
  if (status.IsNotFound()) return uint64_t{0};
  if (!status.ok()) return FromRocks(status, "cannot read the log index", dir);
  const std::optional<uint64_t> index = DecodeIndex(bytes);
  if (!index) return DataLoss({.message = "the log index is damaged", .where = dir});
  return *index;
}

Status LossError(std::string message, const std::string& dir) {
  return DataLoss({.message = std::move(message),
                   .where = dir,
                   .remedy = "Restore the folder from a copy, or start 'dl-submit master "
                             "--accept-loss' on it to go on from the last intact batch."});
}

// The database's own files (not its log): nothing says what a batch was.
Status StructureError(const rocksdb::Status& status, const std::string& dir) {
  return DataLoss({.message = "the database is damaged: " + status.ToString(),
                   .where = dir,
                   .remedy = "Restore the folder from a copy."});
}

struct Inspection {
  Status verdict;
  uint64_t table_index = 0;  // the last batch that is in table files, not only in the log
};

Status CompareWithMark(uint64_t end, const MarkReading& mark, const std::string& dir) {
  if (!mark.index && (mark.exists || end > 0)) {
    return LossError(std::string("the high-water mark is ") +
                         (mark.exists ? "damaged in both slots" : "missing") +
                         "; the database is intact up to batch " + std::to_string(end),
                     dir);
  }
  if (end < mark.index.value_or(0)) {
    return LossError("acknowledged batches are missing: the database ends at batch " +
                         std::to_string(end) + ", its high-water mark says " +
                         std::to_string(*mark.index) +
                         " (the log is damaged or cut after that batch)",
                     dir);
  }
  return absl::OkStatus();
}

// Reads the log and the tables without changing anything, so that the evidence stays for the
// operator.
Inspection Inspect(const std::string& dir, const rocksdb::Options& base, const MarkReading& mark) {
  LogSurvey survey;
  rocksdb::Options options = base;
  options.create_if_missing = false;
  options.wal_recovery_mode =
      rocksdb::WALRecoveryMode::kPointInTimeRecovery;  // stops at the damage, if there is any
  options.wal_filter = &survey;
  rocksdb::DB* raw = nullptr;
  const rocksdb::Status opened = rocksdb::DB::OpenForReadOnly(options, dir + "/db", &raw);
  const std::unique_ptr<rocksdb::DB> db(raw);
  if (opened.IsCorruption()) return {StructureError(opened, dir)};
  if (!opened.ok()) return {FromRocks(opened, "cannot open the database", dir)};
  const StatusOr<uint64_t> table_index = ReadIndex(*db, dir);
  if (!table_index.ok()) return {table_index.status()};
  const std::string gap = survey.Gap(*table_index);
  if (!gap.empty())
    return {LossError("acknowledged batches are missing: " + gap, dir), *table_index};
  return {CompareWithMark(survey.End(*table_index), mark, dir), *table_index};
}

StatusOr<std::unique_ptr<rocksdb::DB>> OpenDatabase(const std::string& dir,
                                                    rocksdb::Options options) {
  rocksdb::DB* raw = nullptr;
  rocksdb::Status status = rocksdb::DB::Open(options, dir + "/db", &raw);
  if (status.IsCorruption()) {
    // Inspect() has shown that every acknowledged batch comes before the damage (a write that was
    // cut short), or its loss was accepted.
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
    status = rocksdb::DB::Open(options, dir + "/db", &raw);
  }
  if (status.IsCorruption()) return StructureError(status, dir);
  if (!status.ok()) return FromRocks(status, "cannot open the database", dir);
  return std::unique_ptr<rocksdb::DB>(raw);
}

}  // namespace

struct RocksMetaStore::State {
  std::string dir;
  RocksMetaStoreOptions options;
  FileDescriptor lock;
  std::unique_ptr<rocksdb::Env> env;
  std::unique_ptr<rocksdb::DB> db;
  std::unique_ptr<MarkFile> mark;
  std::unique_ptr<Ballast> ballast;

  mutable Mutex mutex;
  uint64_t index DL_GUARDED_BY(mutex) = 0;
  Status dead DL_GUARDED_BY(mutex);

  Status MakeRoom(const MetaBatch& batch) DL_REQUIRES(mutex);
  Status Commit(const MetaBatch& batch) DL_REQUIRES(mutex);
  Status Health() const DL_EXCLUDES(mutex) {
    MutexLock hold(mutex);
    return dead;
  }
};

RocksMetaStore::RocksMetaStore(std::unique_ptr<State> state) : state_(std::move(state)) {}
RocksMetaStore::~RocksMetaStore() = default;

StatusOr<std::unique_ptr<RocksMetaStore>> RocksMetaStore::Open(
    const std::string& dir, const RocksMetaStoreOptions& options) {
  DL_RETURN_IF_ERROR(CheckFormat(dir, kFormat));
  DL_RETURN_IF_ERROR(CreateFolders(dir));
  auto state = std::make_unique<State>();
  state->dir = dir;
  state->options = options;
  DL_ASSIGN_OR_RETURN(state->lock, LockFolder(dir));
  DL_RETURN_IF_ERROR(CheckFormat(dir, kFormat));
  DL_RETURN_IF_ERROR(EnsureFormat(dir, kFormat));
  if (options.drop_unsynced_on_kill) state->env = NewUnsyncedLossEnv();
  rocksdb::Options rocks = DatabaseOptions(options, state->env.get());

  DL_ASSIGN_OR_RETURN(const MarkReading mark, ReadMark(dir + "/MARK"));
  std::optional<LogCut> cut;
  std::error_code ignored;
  if (std::filesystem::exists(dir + "/db/CURRENT", ignored)) {
    const Inspection found = Inspect(dir, rocks, mark);
    if (!found.verdict.ok()) {
      if (!options.accept_loss || !absl::IsDataLoss(found.verdict)) return found.verdict;
      rocks.wal_filter = &cut.emplace(found.table_index);
    }
  } else if (mark.exists && mark.index.value_or(1) > 0 && !options.accept_loss) {
    return LossError("the database is missing, its high-water mark is there", dir);
  }
  DL_ASSIGN_OR_RETURN(state->db, OpenDatabase(dir, rocks));
  DL_ASSIGN_OR_RETURN(const uint64_t index, ReadIndex(*state->db, dir));
  DL_ASSIGN_OR_RETURN(
      state->mark,
      MarkFile::Open(dir + "/MARK", {.drop_unsynced_on_kill = options.drop_unsynced_on_kill}));
  DL_RETURN_IF_ERROR(state->mark->Reset(index));
  DL_RETURN_IF_ERROR(SyncFolder(dir));
  state->ballast = std::make_unique<Ballast>(dir + "/BALLAST", options.ballast_bytes);
  state->ballast->Hold(options.min_free_bytes);
  {
    MutexLock hold(state->mutex);
    state->index = index;
  }
  return std::unique_ptr<RocksMetaStore>(new RocksMetaStore(std::move(state)));
}

Status RocksMetaStore::State::MakeRoom(const MetaBatch& batch) {
  const int64_t size = RoomFor(static_cast<int64_t>(batch.bytes()));
  ballast->Hold(options.min_free_bytes + size);
  const Status room = RequireFreeBytes(dir, options.min_free_bytes + size);
  if (room.ok() || !batch.essential()) return room;
  ballast->Release();
  return RequireFreeBytes(dir, size);
}

Status RocksMetaStore::State::Commit(const MetaBatch& batch) {
  rocksdb::WriteBatch rocks;
  for (const MetaBatch::Change& change : batch.changes()) {
    const rocksdb::Status added =
        change.value ? rocks.Put(change.key, *change.value) : rocks.Delete(change.key);
    if (!added.ok()) return FromRocks(added, "cannot build a batch", dir);
  }
  if (const rocksdb::Status added = rocks.Put(ToSlice(kIndexKey), EncodeIndex(index + 1));
      !added.ok())
    return FromRocks(added, "cannot build a batch", dir);
  rocksdb::WriteOptions write;
  write.sync = true;
  if (const rocksdb::Status written = db->Write(write, &rocks); !written.ok())
    return FromRocks(written, "a batch was not written; the store must be opened again", dir);
  return mark->Advance(index + 1);
}

Status RocksMetaStore::Write(const MetaBatch& batch) {
  MutexLock hold(state_->mutex);
  DL_RETURN_IF_ERROR(state_->dead);
  DL_RETURN_IF_ERROR(CheckKeys(batch));
  if (batch.empty()) return absl::OkStatus();
  if (batch.bytes() > static_cast<uint64_t>(limits::kMetaMaxBatchBytes))
    return InvalidArgument(
        {.message = "a batch of the meta store is too large", .where = state_->dir});
  DL_RETURN_IF_ERROR(state_->MakeRoom(batch));
  if (Status committed = state_->Commit(batch); !committed.ok()) {
    // No error that the caller could take for a harmless one: what reached the disk is not known.
    state_->dead = Internal(
        {.message = "the meta store failed: " + std::string(committed.message()),
         .where = state_->dir,
         .remedy =
             "Free space or repair the disk, then start again; nothing acknowledged is lost."});
    return state_->dead;
  }
  ++state_->index;
  return absl::OkStatus();
}

Status RocksMetaStore::CheckRoom() {
  MutexLock hold(state_->mutex);
  DL_RETURN_IF_ERROR(state_->dead);
  return RequireFreeBytes(
      state_->dir, state_->options.min_free_bytes + RoomFor(limits::kMetaOrdinaryBatchBytes));
}

StatusOr<std::optional<std::string>> RocksMetaStore::Get(std::string_view key) {
  DL_RETURN_IF_ERROR(state_->Health());
  std::string value;
  const rocksdb::Status status = state_->db->Get(rocksdb::ReadOptions(), ToSlice(key), &value);
  if (status.IsNotFound()) return std::optional<std::string>();
  if (!status.ok()) return FromRocks(status, "cannot read a key of the meta store", state_->dir);
  return std::optional<std::string>(std::move(value));
}

Status RocksMetaStore::Scan(std::string_view prefix, const Visitor& visit) {
  DL_RETURN_IF_ERROR(state_->Health());
  const std::unique_ptr<rocksdb::Iterator> at(state_->db->NewIterator(rocksdb::ReadOptions()));
  for (at->Seek(ToSlice(prefix.empty() ? kFirstUserKey : prefix)); at->Valid(); at->Next()) {
    if (!at->key().ToStringView().starts_with(prefix)) break;
    DL_RETURN_IF_ERROR(visit(at->key().ToStringView(), at->value().ToStringView()));
  }
  return FromRocks(at->status(), "cannot scan the meta store", state_->dir);
}

uint64_t RocksMetaStore::index() const {
  MutexLock hold(state_->mutex);
  return state_->index;
}

}  // namespace dl::storage
