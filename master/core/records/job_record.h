// Converts the record of a job ("job/ID") to JSON and back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "master/core/job/job.h"

namespace dl::master {

Json ToJson(const JobRecord& record);
// Returns ToJson(record) as text, which is the stored form.
std::string RecordText(const JobRecord& record);
// Converts a stored document back. Returns DataLoss if the document is damaged, and VersionMismatch
// if a newer build wrote it. `where` names the document in errors.
StatusOr<JobRecord> JobRecordFromJson(const Json& json, std::string_view where);

// Returns the text of the record "manifest/ID/weights": a JSON list of the names of the blocks that
// hold the initial weights.
std::string InitialWeightsText(const std::vector<std::string>& blocks);

// Return parts of the record's JSON. Reports of jobs (report_record.h) have the same parts.
Json ToJson(const rpc::Scheduling& scheduling);
Json ErrorJson(const Status& error);
// Adds the member "action" if there is a remedy.
void AddRemedy(const rpc::Remedy& remedy, Json& json);

}  // namespace dl::master
