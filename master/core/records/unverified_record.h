// The record "unverified/ID" of the job ID, as JSON. It has the members of Attestations that are
// marked as durable (master/core/job/job.h). Other members have their defaults after reading.
#pragma once

#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/status.h"
#include "master/core/job/job.h"

namespace dl::master {

Json ToJson(const Attestations& attestations);
// Returns ToJson(attestations) as text, which is the stored form.
std::string RecordText(const Attestations& attestations);
// Converts a stored document back. `where` names the document in errors. Returns DataLoss if the
// document is damaged, and VersionMismatch if a newer build wrote it.
StatusOr<Attestations> UnverifiedFromJson(const Json& json, std::string_view where);

}  // namespace dl::master
