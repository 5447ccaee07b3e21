// The record of a checkpoint ("checkpoint/ID/ROUND") as JSON.
#pragma once

#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/status.h"
#include "master/core/job/checkpoint_info.h"

namespace dl::master {

Json ToJson(const CheckpointInfo& info);
std::string RecordText(const CheckpointInfo& info);
// Errors are those of JobRecordFromJson.
StatusOr<CheckpointInfo> CheckpointInfoFromJson(const Json& json, std::string_view where);

}  // namespace dl::master
