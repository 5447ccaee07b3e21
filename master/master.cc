#include "master/master.h"

#include <set>
#include <utility>

#include "base/files.h"
#include "base/log.h"
#include "base/unique.h"
#include "master/core/keys.h"
#include "master/job_definition.h"
#include "master/recovery.h"

namespace dl::master {
namespace {

constexpr char kBulkKind[] = "bulk";

// Whether there is content that records must name. Nothing is changed before both stores have been
// looked at: a refusal leaves the folder as it is.
StatusOr<bool> LookAtBulk(const std::string& meta, const std::string& bulk,
                          const storage::BulkOptions& options) {
  using Content = storage::BulkDatabase::Content;
  DL_ASSIGN_OR_RETURN(const Content content, storage::BulkDatabase::Look(bulk, kBulkKind, options));
  DL_ASSIGN_OR_RETURN(const bool has_records, storage::RocksMetaStore::HasRecords(meta));
  if (content != Content::kNothing || !has_records) return content == Content::kTables;
  if (!options.accept_loss) {
    return DataLoss({.message = "the bulk database is missing, and the records of what it held are "
                                "there",
                     .where = bulk,
                     .remedy = "Mount or restore it; --accept-loss begins with an empty one"});
  }
  LogWarning(bulk,
             " is missing and given up: beginning with an empty one; datasets have to be imported "
             "and jobs without a checkpoint computed again");
  return false;
}

StatusOr<storage::CheckpointId> CheckpointOf(std::string_view record) {
  DL_ASSIGN_OR_RETURN(const Json json, ParseJson(record, "checkpoint"));
  DL_ASSIGN_OR_RETURN(const CheckpointInfo info, CheckpointInfoFromJson(json, "checkpoint"));
  DL_ASSIGN_OR_RETURN(const Json manifest, ParseJson(info.manifest, "manifest"));
  DL_ASSIGN_OR_RETURN(const storage::CheckpointManifest known,
                      storage::CheckpointManifestFromJson(manifest, "manifest"));
  return known.id;
}

// Chunks of checkpoints that never became visible. After an accepted loss, what no record names may
// be what a lost record named: it is put aside.
Status CollectOrphans(const RecoveredState& recovered, storage::RocksMetaStore& meta,
                      storage::CheckpointStore& checkpoints, const storage::BulkDatabase& bulk) {
  std::vector<storage::CheckpointId> live;
  std::set<std::string> spared;  // jobs whose records do not say all that is theirs
  for (const RecoveredJob& job : recovered.jobs) {
    if (!job.damage.ok()) spared.insert(job.definition.id);
  }
  // Of all jobs, those that ended among them.
  const std::string_view prefix = keys::kCheckpointPrefix;
  DL_RETURN_IF_ERROR(meta.Scan(prefix, [&](std::string_view key, std::string_view record) {
    const StatusOr<storage::CheckpointId> id = CheckpointOf(record);
    const std::string_view job = key.substr(prefix.size(), key.rfind('/') - prefix.size());
    if (id.ok()) live.push_back(*id);
    if (!id.ok()) spared.emplace(job);
    return absl::OkStatus();
  }));
  DL_ASSIGN_OR_RETURN(const bool lost, meta.LostRecords());
  const std::string aside = lost ? bulk.NewAside() : "";
  DL_ASSIGN_OR_RETURN(
      const int64_t orphans,
      checkpoints.CollectOrphans({.live = live, .spared_jobs = std::move(spared), .aside = aside}));
  if (orphans > 0 && lost) {
    LogWarning("put ", orphans, " checkpoints that no record names any more into ", aside);
  } else if (orphans > 0) {
    LogInfo("removed ", orphans, " unfinished checkpoints");
  }
  return lost ? meta.SettleLoss() : absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Master>> Master::Open(const MasterOptions& options) {
  DL_RETURN_IF_ERROR(CreateFolders(options.data_dir));
  const std::string meta = options.data_dir + "/meta", bulk = options.data_dir + "/bulk";
  const storage::BulkOptions bulk_options{.accept_loss = options.accept_loss,
                                          .drop_unsynced_on_kill = options.drop_unsynced_on_kill};
  DL_ASSIGN_OR_RETURN(const bool has_content, LookAtBulk(meta, bulk, bulk_options));
  std::unique_ptr<Master> master(new Master);
  DL_ASSIGN_OR_RETURN(master->meta_,
                      storage::RocksMetaStore::Open(
                          meta, {.accept_loss = options.accept_loss,
                                 .must_be_there = has_content,
                                 .drop_unsynced_on_kill = options.drop_unsynced_on_kill}));
  // Before the first batch: where there is a record, there is a bulk database too.
  DL_ASSIGN_OR_RETURN(master->bulk_, storage::BulkDatabase::Open(bulk, kBulkKind, bulk_options));
  DL_ASSIGN_OR_RETURN(RecoveredState recovered, LoadState(*master->meta_, DefinitionFromDocuments));
  DL_ASSIGN_OR_RETURN(master->blobs_, storage::BlobStore::Open(*master->bulk_));
  master->checkpoints_ = std::make_unique<storage::CheckpointStore>(*master->bulk_);
  // Terms count the starts of one data folder, and executors may have met others.
  DL_ASSIGN_OR_RETURN(const uint64_t start, UniqueNumber());
  recovered.start = static_cast<uint32_t>(start);

  DL_RETURN_IF_ERROR(
      CollectOrphans(recovered, *master->meta_, *master->checkpoints_, *master->bulk_));
  LogInfo("term ", recovered.term, ", ", recovered.jobs.size(), " jobs");

  master->gateway_ =
      std::make_unique<Gateway>(Gateway::Options{.core = options.core,
                                                 .recovered = std::move(recovered),
                                                 .meta = master->meta_.get(),
                                                 .blobs = master->blobs_.get(),
                                                 .checkpoints = master->checkpoints_.get(),
                                                 .kept = options.kept,
                                                 .on_fatal = options.on_fatal});
  return master;
}

}  // namespace dl::master
