#include "storage/rocks_meta_store.h"

#include "base/closed_folder.h"
#include "base/files.h"
#include "base/mutex.h"
#include "base/open_files.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "rocksdb/write_batch.h"
#include "storage/database_files.h"
#include "storage/folder_lock.h"
#include "storage/free_space.h"
#include "storage/log_chain.h"
#include "storage/mark_file.h"
#include "storage/memory_meta_store.h"
#include "storage/meta_inspection.h"
#include "storage/meta_salvage.h"
#include "storage/rocks_status.h"
#include "storage/store_env.h"
#include "storage/store_format.h"
#include "storage/value_blocks.h"

namespace dl::storage {
namespace {

// Schema 2: commits record a digest of the whole announcement, and jobs can be rolled back.
// Schema 3: the ends of round logs are recorded.
// Schema 4: job states have new names.
constexpr StoreFormat kMetaFormat{.kind = "meta", .schema = 4};
constexpr std::string_view kFirstUserKey("\x01", 1);

// Disk space that a batch needs: the copy in the log and, later, the copy in a table.
int64_t RoomFor(int64_t batch_bytes) { return 2 * batch_bytes + (int64_t{64} << 10); }

// Returns the first key after all keys with the prefix. REQUIRES: its last byte is not 255.
std::string EndOfPrefix(std::string_view prefix) {
  std::string end(prefix);
  ++end.back();
  return end;
}

rocksdb::Options DatabaseOptions(const RocksMetaStoreOptions& options, rocksdb::Env* env) {
  // Reading one key uses memory for its value only, although other values (manifests) are large.
  rocksdb::BlockBasedTableOptions table;
  table.flush_block_policy_factory = NewValueBlockPolicyFactory();
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));

  rocksdb::Options rocks;
  if (env != nullptr) rocks.env = env;
  rocks.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  rocks.create_if_missing = true;
  // On a nearly full disk, space that is reserved for one file is missing for the next.
  rocks.allow_fallocate = options.min_free_bytes > 0;
  rocks.max_open_files = static_cast<int>(TableFilesOf(RaiseOpenFileLimit()));
  rocks.table_cache_numshardbits = 2;  // few shards, because each rounds its capacity up
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

StatusOr<std::unique_ptr<rocksdb::DB>> OpenDatabase(const std::string& dir,
                                                    rocksdb::Options options) {
  rocksdb::DB* raw = nullptr;
  rocksdb::Status status = rocksdb::DB::Open(options, dir + "/db", &raw);
  if (status.IsCorruption()) {
    // InspectMeta() has verified that every acknowledged batch comes before the damage, which is
    // the end of an interrupted write.
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
    status = rocksdb::DB::Open(options, dir + "/db", &raw);
  }
  if (IsDamage(status)) return LossError("the database is damaged: " + status.ToString(), dir);
  if (!status.ok()) return FromRocks(status, "cannot open the database", dir);
  return std::unique_ptr<rocksdb::DB>(raw);
}

// Returns true if the folder shows that a store was created here. A folder with only a FORMAT
// counts as new.
StatusOr<bool> WasMade(const std::string& dir, const MarkReading& mark) {
  DL_ASSIGN_OR_RETURN(const auto tables, TableFiles(dir + "/db"));
  DL_ASSIGN_OR_RETURN(const auto logs, LogFiles(dir + "/db"));
  return mark.exists || HasListOfFiles(dir + "/db") || !tables.empty() || !logs.empty();
}

// Returns the error that an open would report. Changes nothing. OK for an empty or absent folder.
Status Inspect(const std::string& dir, const rocksdb::Options& rocks, const MarkReading& mark) {
  DL_ASSIGN_OR_RETURN(const bool made, WasMade(dir, mark));
  if (!made) return absl::OkStatus();
  DL_RETURN_IF_ERROR(RequireFormat(dir, kMetaFormat));
  if (HasListOfFiles(dir + "/db")) return InspectMeta(dir, dir + "/db", rocks, mark).verdict;
  return LossError("the database's list of files (db/CURRENT) is missing", dir);
}

Status MissingError(const std::string& dir) {
  return DataLoss(
      {.message =
           "the meta store is missing or empty, but files of its jobs exist; nothing was changed",
       .where = dir,
       .remedy = "Mount or restore it, or use another data folder"});
}

// Returns an error unless the mark or the database exists. Called when another store shows that
// there must be records. A store that lacks only its mark is inspected later.
Status CheckStoreExists(const std::string& dir, const MarkReading& mark) {
  const bool marked = mark.exists && mark.index.value_or(1) > 0;
  if (marked || (!mark.exists && HasListOfFiles(dir + "/db"))) return absl::OkStatus();
  return MissingError(dir);
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
  std::function<Status()> may_write DL_GUARDED_BY(mutex);
  uint64_t index DL_GUARDED_BY(mutex) = 0;
  Status dead DL_GUARDED_BY(mutex);

  Status MakeRoom(const MetaBatch& batch) DL_REQUIRES(mutex);
  Status Commit(const MetaBatch& batch) DL_REQUIRES(mutex);
  Status CommitOrDie(const MetaBatch& batch) DL_REQUIRES(mutex);
  Status Health() const DL_EXCLUDES(mutex) {
    MutexLock hold(mutex);
    return dead;
  }
};

RocksMetaStore::RocksMetaStore(std::unique_ptr<State> state) : state_(std::move(state)) {}
RocksMetaStore::~RocksMetaStore() = default;

StatusOr<std::unique_ptr<RocksMetaStore>> RocksMetaStore::Open(
    const std::string& dir, const RocksMetaStoreOptions& options) {
  DL_RETURN_IF_ERROR(CheckFormat(dir, kMetaFormat));
  DL_ASSIGN_OR_RETURN(MarkReading mark, ReadMark(dir + "/MARK"));
  if (options.must_exist) DL_RETURN_IF_ERROR(CheckStoreExists(dir, mark));
  DL_RETURN_IF_ERROR(CreateClosedFolder(dir));
  auto state = std::make_unique<State>();
  state->dir = dir;
  state->options = options;
  DL_ASSIGN_OR_RETURN(state->lock, LockFolder(dir));
  DL_RETURN_IF_ERROR(CheckFormat(dir, kMetaFormat));
  DL_RETURN_IF_ERROR(FinishMetaSalvage(dir));
  state->env = NewStoreEnv({.drop_unsynced_on_kill = options.drop_unsynced_on_kill});
  const rocksdb::Options rocks = DatabaseOptions(options, state->env.get());

  DL_ASSIGN_OR_RETURN(mark, ReadMark(dir + "/MARK"));
  const Status found = Inspect(dir, rocks, mark);
  const bool salvaged = absl::IsDataLoss(found) && options.accept_loss;
  if (salvaged) {
    DL_RETURN_IF_ERROR(RequireFormat(dir, kMetaFormat));
    DL_RETURN_IF_ERROR(SalvageMeta(dir, rocks, mark));
  } else {
    DL_RETURN_IF_ERROR(found);
    if (options.must_exist && !mark.exists) return MissingError(dir);
  }
  DL_RETURN_IF_ERROR(EnsureFormat(dir, kMetaFormat));
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

StatusOr<std::unique_ptr<MetaStore>> RocksMetaStore::ReadAll(const std::string& dir) {
  DL_RETURN_IF_ERROR(CheckFormat(dir, kMetaFormat));
  DL_ASSIGN_OR_RETURN(const FileDescriptor lock, LockFolder(dir));
  DL_ASSIGN_OR_RETURN(const MarkReading mark, ReadMark(dir + "/MARK"));
  const rocksdb::Options rocks = DatabaseOptions({}, nullptr);
  DL_RETURN_IF_ERROR(Inspect(dir, rocks, mark));
  std::unique_ptr<rocksdb::DB> db;
  DL_RETURN_IF_ERROR(
      FromRocks(OpenForReading(rocks, dir + "/db", &db), "cannot read the database", dir));
  auto copy = std::make_unique<MemoryMetaStore>();
  const std::unique_ptr<rocksdb::Iterator> at(db->NewIterator(rocksdb::ReadOptions()));
  MetaBatch batch;
  for (at->Seek(kFirstUserKey); at->Valid(); at->Next()) {
    batch.Put(at->key().ToString(), at->value().ToString());
    if (batch.bytes() < static_cast<uint64_t>(limits::kMetaOrdinaryBatchBytes)) continue;
    DL_RETURN_IF_ERROR(copy->Write(batch));
    batch = {};
  }
  DL_RETURN_IF_ERROR(FromRocks(at->status(), "cannot read the database", dir));
  DL_RETURN_IF_ERROR(copy->Write(batch));
  return copy;
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
    const rocksdb::Status added = change.value ? rocks.Put(change.key, *change.value)
                                  : change.prefix
                                      ? rocks.DeleteRange(change.key, EndOfPrefix(change.key))
                                      : rocks.Delete(change.key);
    if (!added.ok()) return FromRocks(added, "cannot build a batch", dir);
  }
  if (const rocksdb::Status added = rocks.Put(kIndexKey, EncodeIndex(index + 1)); !added.ok())
    return FromRocks(added, "cannot build a batch", dir);
  rocksdb::WriteOptions write;
  write.sync = true;
  if (const rocksdb::Status written = db->Write(write, &rocks); !written.ok())
    return FromRocks(written, "a batch was not written; the store must be opened again", dir);
  return mark->Advance(index + 1);
}

Status RocksMetaStore::State::CommitOrDie(const MetaBatch& batch) {
  DL_RETURN_IF_ERROR(dead);
  if (may_write) dead = may_write();
  DL_RETURN_IF_ERROR(dead);
  if (Status committed = Commit(batch); !committed.ok()) {
    // Internal, because it is unknown what reached the disk: the caller must not treat this as a
    // harmless error.
    dead = Internal(
        {.message = "the meta store failed: " + std::string(committed.message()),
         .where = dir,
         .remedy =
             "Free space or repair the disk, then start again; acknowledged data is not lost."});
    return dead;
  }
  ++index;
  return absl::OkStatus();
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
  return state_->CommitOrDie(batch);
}

void RocksMetaStore::CheckBeforeWrites(std::function<Status()> may_write) {
  MutexLock hold(state_->mutex);
  state_->may_write = std::move(may_write);
}

Status RocksMetaStore::CheckFreeSpace() {
  MutexLock hold(state_->mutex);
  DL_RETURN_IF_ERROR(state_->dead);
  return RequireFreeBytes(
      state_->dir, state_->options.min_free_bytes + RoomFor(limits::kMetaOrdinaryBatchBytes));
}

StatusOr<std::optional<std::string>> RocksMetaStore::Get(std::string_view key) {
  DL_RETURN_IF_ERROR(state_->Health());
  std::string value;
  const rocksdb::Status status = state_->db->Get(rocksdb::ReadOptions(), key, &value);
  if (status.IsNotFound()) return std::optional<std::string>();
  if (!status.ok()) return FromRocks(status, "cannot read a key of the meta store", state_->dir);
  return std::optional<std::string>(std::move(value));
}

Status RocksMetaStore::Scan(std::string_view prefix, const Visitor& visit) {
  DL_RETURN_IF_ERROR(state_->Health());
  // Without a bound, the step after the last key would read the next block, which may be large.
  const std::string end = prefix.empty() ? "" : EndOfPrefix(prefix);
  const rocksdb::Slice bound(end);
  rocksdb::ReadOptions read;
  if (!end.empty()) read.iterate_upper_bound = &bound;
  const std::unique_ptr<rocksdb::Iterator> at(state_->db->NewIterator(read));
  for (at->Seek(prefix.empty() ? kFirstUserKey : prefix); at->Valid(); at->Next()) {
    DL_RETURN_IF_ERROR(visit(at->key().ToStringView(), at->value().ToStringView()));
  }
  return FromRocks(at->status(), "cannot scan the meta store", state_->dir);
}

Status RocksMetaStore::Reclaim(std::string_view prefix) {
  DL_RETURN_IF_ERROR(state_->Health());
  const std::string end = EndOfPrefix(prefix);
  const rocksdb::Slice from = prefix, to(end);
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  return FromRocks(state_->db->CompactRange(options, &from, &to),
                   "cannot give back the space of what was deleted", state_->dir);
}

StatusOr<bool> RocksMetaStore::LostRecords() {
  DL_RETURN_IF_ERROR(state_->Health());
  std::string value;
  const rocksdb::Status status = state_->db->Get(rocksdb::ReadOptions(), kLossKey, &value);
  if (status.IsNotFound()) return false;
  DL_RETURN_IF_ERROR(FromRocks(status, "cannot read the meta store", state_->dir));
  return true;
}

Status RocksMetaStore::SettleLoss() {
  MetaBatch settled;
  settled.Delete(std::string(kLossKey));
  MutexLock hold(state_->mutex);
  return state_->CommitOrDie(settled);
}

StatusOr<bool> RocksMetaStore::HasRecords(const std::string& dir) {
  DL_ASSIGN_OR_RETURN(const MarkReading mark, ReadMark(dir + "/MARK"));
  return mark.exists && mark.index.value_or(1) > 0;
}

uint64_t RocksMetaStore::index() const {
  MutexLock hold(state_->mutex);
  return state_->index;
}

}  // namespace dl::storage
