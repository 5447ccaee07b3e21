// Which work is checked by doing it twice: a function of the job and of a secret of the master, so
// that nobody knows what is not. It never enters a result.
#pragma once

#include <cstdint>
#include <string_view>

#include "master/core/job/definition.h"

namespace dl::master {

// Whether a worker's unit of the round is computed a second time, by another executor.
bool UnitIsSampled(const JobDefinition& definition, uint64_t secret, int64_t round, int32_t worker);
// The same of a unit that measures the round's state on the test set.
bool EvaluationIsSampled(const JobDefinition& definition, uint64_t secret, int64_t round,
                         int32_t index);
// Whether a sum of contributions that this executor sends in the round is opened.
bool SumIsSampled(const JobDefinition& definition, uint64_t secret, int64_t round,
                  std::string_view executor);

}  // namespace dl::master
