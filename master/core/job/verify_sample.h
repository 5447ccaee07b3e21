// Chooses the work that is verified, with the probability JobDefinition::verify_fraction: each
// unit, and for each executor and round all sums together. The choice depends on the seed of the
// job and on `secret`, the secret of the data folder, so that executors cannot predict it. Results
// of correct executors do not depend on it.
#pragma once

#include <cstdint>
#include <string_view>

#include "master/core/job/definition.h"

namespace dl::master {

// Returns whether a worker's unit of the round must be confirmed (Unit::Options::verify).
bool UnitIsSampled(const JobDefinition& definition, uint64_t secret, int64_t round, int32_t worker);
// Returns whether evaluation unit `index` of the round's state must be confirmed.
bool EvaluationIsSampled(const JobDefinition& definition, uint64_t secret, int64_t round,
                         int32_t index);
// Returns whether sums of contributions that this executor sends in the round are opened
// (PendingGather::opened): the master then also requests the contributions and compares them.
bool SumIsSampled(const JobDefinition& definition, uint64_t secret, int64_t round,
                  std::string_view executor);

}  // namespace dl::master
