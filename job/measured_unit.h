// The rounds and units of a job that record histograms (training.statistics). Executors and the
// master decide this alike, from the spec.
#pragma once

#include <cstdint>

#include "base/ids.h"

namespace dl::job {

// Returns whether the histograms of round `round` are recorded. The recorded rounds are 1,
// 1 + every_rounds, 1 + 2 * every_rounds, and so on. If every_rounds is 0, there are none.
// REQUIRES: round >= 1.
constexpr bool RecordsHistograms(int64_t every_rounds, int64_t round) {
  return every_rounds > 0 && (round - 1) % every_rounds == 0;
}

// Returns whether the unit measures the activations of its first minibatch: the unit of worker 0,
// which has a unit in every round (dataset/plan.h).
inline bool MeasuresActivations(int64_t every_rounds, const UnitId& unit) {
  return unit.kind == UnitKind::kTrain && unit.index == 0 &&
         RecordsHistograms(every_rounds, unit.round);
}

}  // namespace dl::job
