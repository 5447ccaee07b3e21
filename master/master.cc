#include "master/master.h"

#include <utility>

#include "base/files.h"
#include "base/log.h"
#include "base/unique.h"
#include "master/job_definition.h"
#include "master/orphans.h"
#include "master/store_recovery.h"
#include "storage/free_space.h"

namespace dl::master {
namespace {

constexpr char kBulkKind[] = "bulk";
// Bytes for the files that the two stores write when they are opened.
constexpr int64_t kOpenBytes = 4 << 20;

// Returns whether there is content that records must name. Changes nothing: both stores are
// examined before either is changed, so that a refused start leaves the folder unchanged.
StatusOr<bool> HasBulkContent(const std::string& meta, const std::string& bulk,
                              const storage::BulkOptions& options) {
  using Content = storage::BulkDatabase::Content;
  DL_ASSIGN_OR_RETURN(const Content content,
                      storage::BulkDatabase::ReadContent(bulk, kBulkKind, options));
  DL_ASSIGN_OR_RETURN(const bool has_records, storage::RocksMetaStore::HasRecords(meta));
  if (content != Content::kNothing || !has_records) return content == Content::kTables;
  if (!options.accept_loss) {
    return DataLoss(
        {.message = "the bulk database is missing, but records of its content exist",
         .where = bulk,
         .remedy = "Mount or restore it, or start with an empty bulk database: --accept-loss"});
  }
  LogWarning(bulk,
             " is missing and replaced by an empty database. Import the datasets again; jobs "
             "without a checkpoint start from scratch");
  return false;
}

bool WasComputed(JobState state) {
  return state == JobState::kStarting || state == JobState::kRunning ||
         state == JobState::kRecovering;
}

// Deletes checkpoints that no record names. After an accepted loss, they may belong to lost records
// and are moved to another folder instead.
Status RemoveOrphans(const RecoveredState& recovered, storage::RocksMetaStore& meta,
                     storage::CheckpointStore& checkpoints, const storage::BulkDatabase& bulk) {
  DL_ASSIGN_OR_RETURN(const bool lost, meta.LostRecords());
  const std::string aside = lost ? bulk.NewLostFolder() : "";
  DL_ASSIGN_OR_RETURN(const int64_t orphans, CollectOrphans(recovered, meta, checkpoints, aside));
  if (orphans > 0 && lost) {
    LogWarning("moved ", orphans, " checkpoints without a record to ", aside);
  } else if (orphans > 0) {
    LogInfo("removed ", orphans, " unfinished checkpoints");
  }
  return lost ? meta.SettleLoss() : absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Master>> Master::Open(const MasterOptions& options) {
  DL_RETURN_IF_ERROR(CreateFolders(options.data_dir));
  const std::string meta = options.data_dir + "/meta", bulk = options.data_dir + "/bulk";
  const bool reads_only = options.full_disk == MasterOptions::FullDisk::kRead;
  storage::BulkOptions bulk_options{.accept_loss = options.accept_loss,
                                    .drop_unsynced_on_kill = options.drop_unsynced_on_kill,
                                    .read_only = reads_only,
                                    .shared = options.shared};
  DL_ASSIGN_OR_RETURN(const bool has_content, HasBulkContent(meta, bulk, bulk_options));
  std::unique_ptr<Master> master(new Master);
  storage::RocksMetaStore* records = nullptr;  // null: the records are only read
  if (reads_only) {
    DL_ASSIGN_OR_RETURN(master->meta_, storage::RocksMetaStore::ReadAll(meta));
  } else {
    // RocksDB does not survive a full disk while it is opened.
    DL_RETURN_IF_ERROR(storage::RequireFreeBytes(options.data_dir, kOpenBytes));
    storage::RocksMetaStoreOptions meta_options{
        .accept_loss = options.accept_loss,
        .must_exist = has_content,
        .drop_unsynced_on_kill = options.drop_unsynced_on_kill};
    if (options.full_disk == MasterOptions::FullDisk::kUse)
      meta_options.min_free_bytes = meta_options.ballast_bytes = 0;
    DL_ASSIGN_OR_RETURN(auto opened, storage::RocksMetaStore::Open(meta, meta_options));
    records = opened.get();
    if (options.may_write) records->CheckBeforeWrites(options.may_write);
    master->meta_ = std::move(opened);
  }
  // Open it before the first batch is written: if a record exists, a bulk database must exist too.
  DL_ASSIGN_OR_RETURN(master->bulk_, storage::BulkDatabase::Open(bulk, kBulkKind, bulk_options));
  DL_ASSIGN_OR_RETURN(RecoveredState recovered, LoadState(*master->meta_, DefinitionFromDocuments));
  DL_ASSIGN_OR_RETURN(master->blobs_, storage::BlobStore::Open(*master->bulk_));
  master->checkpoints_ = std::make_unique<storage::CheckpointStore>(*master->bulk_);
  // Terms repeat in other data folders, and executors may know the masters of those.
  DL_ASSIGN_OR_RETURN(const uint64_t start, UniqueNumber());
  recovered.start = static_cast<uint32_t>(start);
  for (RecoveredJob& job : recovered.jobs) {
    if (options.why_given_up && job.damage.ok() && WasComputed(job.record.state))
      job.given_up = options.why_given_up(job.definition.id);
  }

  if (records != nullptr)
    DL_RETURN_IF_ERROR(RemoveOrphans(recovered, *records, *master->checkpoints_, *master->bulk_));
  LogInfo("term ", recovered.term, ", ", recovered.jobs.size(), " jobs");

  master->gateway_ =
      std::make_unique<Gateway>(Gateway::Options{.core = options.core,
                                                 .recovered = std::move(recovered),
                                                 .meta = master->meta_.get(),
                                                 .blobs = master->blobs_.get(),
                                                 .checkpoints = master->checkpoints_.get(),
                                                 .data_dir = options.data_dir,
                                                 .kept = options.kept,
                                                 .on_fatal = options.on_fatal});
  return master;
}

}  // namespace dl::master
