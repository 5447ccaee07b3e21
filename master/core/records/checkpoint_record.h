// Converts the record of a checkpoint to JSON and back. Its key is "checkpoint/ID/ROUND", or
// "checkpoint/ID/ROUND~ROLLBACK" for a checkpoint that was set aside.
#pragma once

#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/status.h"
#include "master/core/job/checkpoint_info.h"

namespace dl::master {

// Leaves out `unusable`, which is not stored. REQUIRES: `info.manifest` is
// JSON.
Json ToJson(const CheckpointInfo& info);
// Returns ToJson(info) as text, which is the stored form.
std::string RecordText(const CheckpointInfo& info);
// Converts a stored document back. `where` names the document in errors. Returns DataLoss if the
// document is damaged, and VersionMismatch if a newer build wrote it. Members that are not stored
// have their defaults.
StatusOr<CheckpointInfo> CheckpointInfoFromJson(const Json& json, std::string_view where);

}  // namespace dl::master
