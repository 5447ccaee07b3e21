#include "master/master.h"

#include <filesystem>
#include <system_error>

#include "base/files.h"
#include "base/log.h"
#include "base/unique.h"
#include "master/job_definition.h"
#include "master/recovery.h"

namespace dl::master {

StatusOr<std::unique_ptr<Master>> Master::Open(const MasterOptions& options) {
  DL_RETURN_IF_ERROR(CreateFolders(options.data_dir));
  std::unique_ptr<Master> master(new Master);
  DL_ASSIGN_OR_RETURN(master->meta_, storage::RocksMetaStore::Open(
                                         options.data_dir + "/meta",
                                         {.accept_loss = options.accept_loss,
                                          .drop_unsynced_on_kill = options.drop_unsynced_on_kill}));
  DL_ASSIGN_OR_RETURN(RecoveredState recovered, LoadState(*master->meta_, DefinitionFromDocuments));
  const std::string bulk = options.data_dir + "/bulk";
  std::error_code ignored;
  const bool lost = !recovered.jobs.empty() && !std::filesystem::exists(bulk + "/FORMAT", ignored);
  if (lost && options.accept_loss) {
    LogWarning(bulk,
               " is missing: beginning with an empty one; datasets have to be imported and "
               "jobs without a checkpoint computed again");
  } else if (lost) {
    return DataLoss({.message = "the bulk database is missing, jobs that need it are there",
                     .where = bulk,
                     .remedy = "Mount or restore it; --accept-loss begins with an empty one"});
  }
  DL_ASSIGN_OR_RETURN(master->bulk_, storage::BulkDatabase::Open(
                                         bulk, "bulk",
                                         {.accept_loss = options.accept_loss,
                                          .drop_unsynced_on_kill = options.drop_unsynced_on_kill}));
  master->blobs_ = std::make_unique<storage::BlobStore>(*master->bulk_);
  master->checkpoints_ = std::make_unique<storage::CheckpointStore>(*master->bulk_);
  // Terms count the starts of one data folder, and executors may have met others.
  DL_ASSIGN_OR_RETURN(const uint64_t start, UniqueNumber());
  recovered.start = static_cast<uint32_t>(start);

  // Chunks of checkpoints that never became visible.
  std::vector<storage::CheckpointId> live;
  for (const RecoveredJob& job : recovered.jobs) {
    for (const CheckpointInfo& checkpoint : job.checkpoints) {
      DL_ASSIGN_OR_RETURN(Json json, ParseJson(checkpoint.manifest, "checkpoint manifest"));
      DL_ASSIGN_OR_RETURN(storage::CheckpointManifest manifest,
                          storage::CheckpointManifestFromJson(json, "manifest"));
      live.push_back(manifest.id);
    }
  }
  DL_ASSIGN_OR_RETURN(int64_t orphans, master->checkpoints_->CollectOrphans(live));
  if (orphans > 0) LogInfo("removed ", orphans, " unfinished checkpoints");
  LogInfo("term ", recovered.term, ", ", recovered.jobs.size(), " jobs");

  master->gateway_ =
      std::make_unique<Gateway>(Gateway::Options{.core = options.core,
                                                 .recovered = std::move(recovered),
                                                 .meta = master->meta_.get(),
                                                 .blobs = master->blobs_.get(),
                                                 .checkpoints = master->checkpoints_.get(),
                                                 .on_fatal = options.on_fatal});
  return master;
}

}  // namespace dl::master
