// How a job shares the cluster with others (rpc/scheduling.h): its document, and what it may say.
#pragma once

#include "base/json.h"
#include "base/status.h"
#include "rpc/scheduling.h"

namespace dl::master {

// As in the job's record and in what is told of it.
Json ToJson(const rpc::Scheduling& scheduling);
// What is wrong goes to the reader.
rpc::Scheduling SchedulingFromJson(JsonObjectReader& reader);

// InvalidArgument for a priority, a number of executors or a label that cannot be one.
Status CheckScheduling(const rpc::Scheduling& scheduling);
// The same for labels alone; `what` has them: "a job".
Status CheckLabels(const std::vector<std::string>& labels, const std::string& what);

}  // namespace dl::master
