#include "master/orphans.h"

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "master/core/record_keys.h"
#include "master/core/records/checkpoint_record.h"

namespace dl::master {
namespace {

StatusOr<storage::CheckpointId> CheckpointOf(std::string_view record) {
  DL_ASSIGN_OR_RETURN(const Json json, ParseJson(record, "checkpoint"));
  DL_ASSIGN_OR_RETURN(const CheckpointInfo info, CheckpointInfoFromJson(json, "checkpoint"));
  DL_ASSIGN_OR_RETURN(const Json manifest, ParseJson(info.manifest, "manifest"));
  DL_ASSIGN_OR_RETURN(const storage::CheckpointManifest known,
                      storage::CheckpointManifestFromJson(manifest, "manifest"));
  return known.id;
}

}  // namespace

StatusOr<int64_t> CollectOrphans(const RecoveredState& recovered, storage::MetaStore& meta,
                                 storage::CheckpointStore& checkpoints, const std::string& aside) {
  std::vector<storage::CheckpointId> live;
  std::set<std::string> spared;
  for (const RecoveredJob& job : recovered.jobs) {
    if (!job.damage.ok()) spared.insert(job.definition.id);
  }
  const std::string_view prefix = keys::kCheckpointPrefix;
  DL_RETURN_IF_ERROR(meta.Scan(prefix, [&](std::string_view key, std::string_view record) {
    const StatusOr<storage::CheckpointId> id = CheckpointOf(record);
    const std::string_view job = key.substr(prefix.size(), key.rfind('/') - prefix.size());
    if (id.ok()) live.push_back(*id);
    if (!id.ok()) spared.emplace(job);
    return absl::OkStatus();
  }));
  return checkpoints.CollectOrphans(
      {.live = live, .spared_jobs = std::move(spared), .aside = aside});
}

}  // namespace dl::master
