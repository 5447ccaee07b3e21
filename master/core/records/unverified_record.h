// The record "unverified/ID" as JSON: the durable part of Attestations.
#pragma once

#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/status.h"
#include "master/core/job/job.h"

namespace dl::master {

Json ToJson(const Attestations& attestations);
std::string RecordText(const Attestations& attestations);
// Converts a stored document back. Errors and `where` are those of JobRecordFromJson.
StatusOr<Attestations> UnverifiedFromJson(const Json& json, std::string_view where);

}  // namespace dl::master
