// The answer to the query "cluster" as JSON (docs/operations/watch.md). Pure functions.
#pragma once

#include "base/json_fwd.h"
#include "master/core/views/cluster_view.h"
#include "master/step_times.h"

namespace dl::master {

// Returns an object with the master's term, the executors, the sums of their retries, and the
// number of queued jobs. The caller adds the members "core", "shortages" and "data_folder".
Json ToJson(const ClusterView& cluster);
// Returns the member "core": durations of the core's steps, in milliseconds.
Json ToJson(const StepTimesView& times);

}  // namespace dl::master
