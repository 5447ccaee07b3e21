// Chooses the work that is verified by computing it twice. The choice depends on the job and on a
// secret of the master, so that executors cannot predict it. The results of correct executors do
// not depend on it.
#pragma once

#include <cstdint>
#include <string_view>

#include "master/core/job/definition.h"

namespace dl::master {

// Whether a worker's unit of the round is computed twice (Unit::Options::verify).
bool UnitIsSampled(const JobDefinition& definition, uint64_t secret, int64_t round, int32_t worker);
// Whether an evaluation unit of the round's state is computed twice.
bool EvaluationIsSampled(const JobDefinition& definition, uint64_t secret, int64_t round,
                         int32_t index);
// Whether sums of contributions that this executor sends in the round are opened
// (PendingGather::opened).
bool SumIsSampled(const JobDefinition& definition, uint64_t secret, int64_t round,
                  std::string_view executor);

}  // namespace dl::master
