// Converts the record of a checkpoint ("checkpoint/ID/ROUND") to JSON and back.
#pragma once

#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/status.h"
#include "master/core/job/checkpoint_info.h"

namespace dl::master {

// Leaves out `set_aside_seen` and `unusable`, which are not stored.
Json ToJson(const CheckpointInfo& info);
// Returns the text that is stored: that of ToJson.
std::string RecordText(const CheckpointInfo& info);
// Converts a stored document back. Errors and `where` are those of JobRecordFromJson.
StatusOr<CheckpointInfo> CheckpointInfoFromJson(const Json& json, std::string_view where);

}  // namespace dl::master
