// The record of a job ("job/ID") as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "master/core/job/job.h"

namespace dl::master {

Json ToJson(const JobRecord& record);
std::string RecordText(const JobRecord& record);
// Returns DataLoss if it is damaged and VersionMismatch if a newer build wrote it. `where` names
// it.
StatusOr<JobRecord> JobRecordFromJson(const Json& json, std::string_view where);

// The record "manifest/ID/weights": the names of the blocks that hold the initial weights.
std::string InitialWeightsText(const std::vector<std::string>& blocks);

// Parts of the record that reports of jobs have too.
Json ToJson(const rpc::Scheduling& scheduling);
Json ErrorJson(const Status& error);

}  // namespace dl::master
