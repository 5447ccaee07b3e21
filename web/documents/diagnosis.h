// Findings about a job in words.
#pragma once

#include <cstdint>
#include <string>

#include "base/json_fwd.h"
#include "base/status.h"
#include "rpc/service.h"

namespace dl::web {

// Returns {"findings":[{"severity","sentence"}]}, the most severe ones first. A severity is "good",
// "note", "warning" or "problem". `series` is an answer to the query `series`
// (docs/formats.md#series), and `averaging_frequency` is that of the job's spec. Findings need at
// least eight values of the training loss; without them the list is empty.
//
// - The layer with the largest median drift. Above 2, the workers leave one another faster than the
//   model moves, so the averaging frequency is too large.
// - Layers whose parameters change in a round by more than 0.03 or less than 0.000003 of their mean
//   size, in the last quarter of the values. Layers that do not change at all do not count. Up to
//   three layers of each kind are named. The usual rule for a step is 0.001, and the healthy band
//   is 0.0003 to 0.003.
// - Units that wait for at least a quarter of their time for data, or for the state of the round,
//   in the last quarter of the values.
// - A training loss whose mean in the last quarter is not below the mean in the first quarter.
// - A test loss that was lowest at least three values ago and is at least 2 % higher now: the job
//   overfits.
// - A training loss whose mean in the last eighth is more than 5 % below the eighth before: it
//   still falls at the end. Not reported beside a training loss that does not fall.
Json Diagnosis(const Json& series, int64_t averaging_frequency);

// Returns the diagnosis of a job. Each curve has at most 32 values, means of equally many rounds.
// If the model has more layers than an answer can show, findings about layers are left out. Errors
// are those of rpc::ClientService::Query.
StatusOr<Json> ReadDiagnosis(rpc::ClientService& master, const std::string& job);

}  // namespace dl::web
