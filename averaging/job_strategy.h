// The strategy that a job spec names, over its model's tables: the same for everybody who reads the
// spec.
#pragma once

#include <memory>

#include "averaging/strategy.h"
#include "base/status.h"
#include "job/job_spec.h"

namespace dl::averaging {

// REQUIRES: the spec is valid.
StatusOr<std::shared_ptr<const Strategy>> StrategyOf(const job::JobSpec& spec);

}  // namespace dl::averaging
