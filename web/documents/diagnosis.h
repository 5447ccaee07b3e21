// Findings about a job in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "rpc/service.h"
#include "web/documents/executor_times.h"

namespace dl::web {

// Facts about a job besides its curves.
struct DiagnosedJob {
  int64_t averaging_frequency = 1;
  std::string state = "RUNNING";         // as in its document
  std::string reason;                    // the same; "" if it has none
  std::vector<ExecutorTimes> executors;  // of its newest units
};

// Returns {"findings":[{"severity","sentence"}]}, the most severe ones first. A severity is "good",
// "note", "warning" or "problem". `series` is an answer to the query `series`
// (docs/formats.md#series).
//
// A job that failed because a number was not finite always has a finding. All others need at least
// eight values of the training loss; without them the list is empty.
//
// - A training loss that diverged: the mean of its last eighth is above its first value, and its
//   largest value is at least ten times that. If a job diverged or has failed because a number was
//   not finite, no other finding about losses or slow layers follows.
// - A training loss whose mean in the last quarter is not below the mean in the first quarter.
// - A test loss that was lowest at least three values ago and is at least 2 % higher now, beside a
//   training loss that falls: the job overfits.
// - A training loss whose mean in the last eighth is more than 5 % below the eighth before, if the
//   job succeeded, does not overfit and was not stopped early: more epochs may help.
// - The layer with the largest median drift. Above 2, the workers leave one another faster than the
//   model moves, so the averaging frequency is too large.
// - Layers whose parameters change in a round by more than 0.03 or less than 0.000003 of their mean
//   size, in the last quarter of the values. Layers that do not change at all do not count. Up to
//   three layers of each kind are named. The usual rule for a step is 0.001, and the healthy band
//   is 0.0003 to 0.003. Layers that change little are no finding if the loss has fallen below a
//   hundredth of its first value, if the job overfits, or if others change too much.
// - Units that wait for at least a quarter of their time for data, or for the state of the round,
//   in the last quarter of the values.
// - Executors that wait for data or states for a quarter of their time, and 0.15 more than all
// units
//   together.
// - Executors whose units take at least 1.5 times as long as those of others. Executors need at
//   least eight units to be named, and up to three are named for each reason, the worst first.
Json Diagnosis(const Json& series, const DiagnosedJob& job);

// Returns the diagnosis of a job. It also has "executors", the times of the newest units (ToJson of
// executor_times.h). Each curve has at most 32 values, means of equally many rounds. If the model
// has more layers than an answer can show, findings about layers are left out. Errors are those of
// rpc::ClientService::Query.
StatusOr<Json> ReadDiagnosis(rpc::ClientService& master, const std::string& job);

}  // namespace dl::web
