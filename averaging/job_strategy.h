// The strategy that a job spec names, with the segment tables of its model. It is a function of the
// spec alone, so the master and all executors build the same strategy.
#pragma once

#include <memory>

#include "averaging/strategy.h"
#include "base/status.h"
#include "job/job_spec.h"

namespace dl::averaging {

// Makes the strategy. Returns the errors of StateLayout::Create, which do not occur for a valid
// spec. REQUIRES: the spec is valid.
StatusOr<std::shared_ptr<const Strategy>> MakeStrategy(const job::JobSpec& spec);

}  // namespace dl::averaging
