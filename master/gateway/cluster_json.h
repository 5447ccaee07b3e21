// The answer to the query "cluster" as JSON (docs/operations/watch.md). Pure functions.
#pragma once

#include "base/json_fwd.h"
#include "master/core/views/cluster_view.h"
#include "master/step_times.h"

namespace dl::master {

// Returns an object with the master's term, the executors, the sums of their retries, the number of
// sessions that ended without a goodbye, and the number of queued jobs. The caller adds the members
// "core", "shortages" and "data_folder".
Json ToJson(const ClusterView& cluster);
// Returns the member "core": the numbers of steps and of long steps, and the processor time of the
// longest step in milliseconds, with the name of its event.
Json ToJson(const StepTimesView& times);

}  // namespace dl::master
