#include "tests/sim/checkpoint_rules.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "master/core/job/job.h"
#include "master/core/record_keys.h"
#include "master/core/records/checkpoint_record.h"
#include "master/stored.h"

namespace dl::sim {
namespace {

Status ReadWhole(Disk& disk, const std::string& key, const std::string& text) {
  DL_ASSIGN_OR_RETURN(const Json json, ParseJson(text, key));
  DL_ASSIGN_OR_RETURN(const master::CheckpointInfo info, master::CheckpointInfoFromJson(json, key));
  DL_ASSIGN_OR_RETURN(const Json manifest_json, ParseJson(info.manifest, key));
  DL_ASSIGN_OR_RETURN(const storage::CheckpointManifest manifest,
                      storage::CheckpointManifestFromJson(manifest_json, key));
  if (disk.damaged.contains(manifest.Name())) return absl::OkStatus();
  for (const storage::CheckpointPart& part : manifest.parts) {
    std::vector<std::byte> content(static_cast<size_t>(part.bytes));
    DL_RETURN_IF_ERROR(disk.checkpoints.Read(manifest, part.name, content));
  }
  return absl::OkStatus();
}

}  // namespace

std::string CheckStoredCheckpoints(Disk& disk) {
  const auto records = master::ReadAll(disk.meta, master::keys::kCheckpointPrefix);
  if (!records.ok()) return DescribeError(records.status());
  for (const auto& [key, text] : *records) {
    if (const Status read = ReadWhole(disk, key, text); !read.ok())
      return absl::StrCat("a checkpoint that has a record is gone: ", DescribeError(read));
  }
  return "";
}

}  // namespace dl::sim
