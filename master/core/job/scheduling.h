// How a job shares the cluster with other jobs (rpc/scheduling_fields.h): its JSON form and its
// checks.
#pragma once

#include "base/json.h"
#include "base/status.h"
#include "rpc/scheduling_fields.h"

namespace dl::master {

// The form used in the job's record and in reports.
Json ToJson(const rpc::Scheduling& scheduling);
// The reader records errors.
rpc::Scheduling SchedulingFromJson(JsonObjectReader& reader);

// Returns InvalidArgument for an invalid priority, number of executors or label.
Status CheckScheduling(const rpc::Scheduling& scheduling);
// Checks labels alone. `what` names their owner in the error: "a job".
Status CheckLabels(const std::vector<std::string>& labels, const std::string& what);

}  // namespace dl::master
