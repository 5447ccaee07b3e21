// The cluster as JSON (docs/operations/watch.md).
#pragma once

#include "base/json_fwd.h"
#include "master/core/views/cluster_view.h"
#include "master/step_times.h"

namespace dl::master {

Json ToJson(const ClusterView& cluster);
// The member "core" of the cluster.
Json ToJson(const StepTimesView& times);

}  // namespace dl::master
